/* One thread: parallel loops run in order in the caller. */
#include "parallel.h"

int halide_do_par_for(void* user_context, frit_task task, int first, int count, uint8_t* closure) {
  for (int i = 0; i < count; ++i) {
    const int code = task(user_context, first + i, closure);
    if (code != 0) return code;
  }
  return 0;
}

size_t frit_pool_bytes(int threads) {
  (void)threads;
  return 0;
}

int frit_pool_start(void* memory, frit_worker* workers, int threads) {
  (void)memory;
  (void)workers;
  (void)threads;
  return 0;
}

void frit_pool_stop(struct frit_pool* pool) { (void)pool; }
