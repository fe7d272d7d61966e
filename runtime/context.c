/* Init and release of a context: checks, arena layout, threads. */
#include "context.h"

#include "cpu.h"
#include "error.h"
#include "parallel.h"

#define FRIT_MAGIC UINT64_C(0x66726974676c6173)

/* As options.threads: 0 is the most. */
static int thread_count(const frit_package* package, int threads) {
  return threads == 0 ? package->max_threads : threads;
}

size_t frit_arena_bytes(const frit_package* package, int wanted) {
  const int threads = thread_count(package, wanted);
  if (threads < 1 || threads > package->max_threads) return 0;
  return package->planned_bytes + frit_round_up((size_t)threads * sizeof(frit_worker)) +
         frit_pool_bytes(threads) + (size_t)(threads - 1) * package->slab_bytes;
}

static int check_options(const frit_options* options, const frit_package* package, int threads) {
  if (threads < 1 || threads > package->max_threads) return FRIT_THREAD_COUNT;
  if (options->arena == 0) return FRIT_NO_ARENA;
  if ((uintptr_t)options->arena % FRIT_ALIGNMENT != 0) return FRIT_ARENA_ALIGNMENT;
  if (options->arena_bytes < frit_arena_bytes(package, threads)) return FRIT_ARENA_SIZE;
  if (package->weights == 0) return FRIT_OK;
  return frit_check_weights(options->weights, options->weights_bytes, package->weights,
                            options->weights_trusted);
}

int frit_init(frit_context* context, const frit_options* options, const frit_package* package) {
  if (context == 0 || options == 0) return FRIT_NULL_ARGUMENT;
  context->magic = 0;
  if (options->size < sizeof(frit_options)) return FRIT_OPTIONS_SIZE;
  const int threads = thread_count(package, options->threads);
  const int bad = check_options(options, package, threads);
  if (bad != FRIT_OK) return bad;
  int cpu_level;
  const int lacks =
      frit_choose_cpu_level(package->cpu_levels, options->cpu_level,
                            package->cpu_levels == 0 ? 0 : frit_cpu_level(), &cpu_level);
  if (lacks != FRIT_OK) return lacks;
  uint8_t* const arena = (uint8_t*)options->arena;
  uint8_t* const pool =
      arena + package->planned_bytes + frit_round_up((size_t)threads * sizeof(frit_worker));
  uint8_t* const slabs = pool + frit_pool_bytes(threads);
  const uint8_t* const weights =
      package->weights == 0 ? 0 : (const uint8_t*)options->weights + package->weights->header_bytes;
  context->arena = arena;
  context->arena_bytes = frit_arena_bytes(package, threads);
  context->threads = threads;
  context->workers = (frit_worker*)(void*)(arena + package->planned_bytes);
  context->pool = threads > 1 ? (struct frit_pool*)(void*)pool : 0;
  for (int k = 0; k < threads; ++k) {
    frit_worker* const worker = &context->workers[k];
    worker->arena = arena;
    worker->weights = weights;
    worker->cpu_level = cpu_level;
    worker->pool = context->pool;
    worker->error = 0;
    worker->in_task = 0;
    frit_worker_slab(worker, k == 0 ? 0 : slabs + (size_t)(k - 1) * package->slab_bytes,
                     k == 0 ? 0 : package->slab_bytes);
  }
  if (threads > 1) {
    const int code = frit_pool_start(pool, context->workers, threads);
    if (code != FRIT_OK) return code;
  }
  context->magic = FRIT_MAGIC;
  return FRIT_OK;
}

void frit_release(frit_context* context) {
  if (context == 0 || context->magic != FRIT_MAGIC) return;
  context->magic = 0;
  frit_pool_stop(context->pool);
}

frit_worker* frit_begin_run(frit_context* context) {
  if (context == 0 || context->magic != FRIT_MAGIC) return 0;
  frit_worker* const worker = context->workers;
  worker->error = 0;
  return worker;
}

int frit_context_cpu_level(const frit_context* context) {
  return context == 0 || context->magic != FRIT_MAGIC ? 0 : context->workers->cpu_level;
}

int frit_kernel_error(const frit_worker* worker, int kernel_code) {
  if (worker->error != 0) return worker->error;
  return kernel_code < 0 && kernel_code > -FRIT_KERNEL ? FRIT_KERNEL - kernel_code : kernel_code;
}

int frit_overlap(const void* a, size_t a_bytes, const void* b, size_t b_bytes) {
  const uintptr_t a_begin = (uintptr_t)a, b_begin = (uintptr_t)b;
  return a_begin < b_begin + b_bytes && b_begin < a_begin + a_bytes;
}
