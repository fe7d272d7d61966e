/* What lies in a package's context struct, and how its arena is shared out.
 *
 * Arena, from its start: the planned values (offsets fixed at build), one frit_worker a thread, the
 * pool's state, one slab for temporaries for each thread but the caller's (whose temporaries are
 * planned with the values). Nothing in it has to survive between runs but workers and pool. */
#ifndef FRIT_CONTEXT_H
#define FRIT_CONTEXT_H

#include "weights.h"
#include "worker.h"

/* Facts of one package, constant. */
typedef struct frit_package {
  size_t planned_bytes; /* multiple of FRIT_ALIGNMENT */
  size_t slab_bytes;    /* of each further thread; multiple of FRIT_ALIGNMENT */
  int max_threads;
  const frit_weights_header* weights; /* of the file that holds the constants; null: none */
  unsigned cpu_levels; /* bit l: kernels of level l of cpu.h; 0: one target, not asked after */
} frit_package;

/* The fields of a package's options struct, in its order. */
typedef struct frit_options {
  size_t size;
  void* arena;
  size_t arena_bytes;
  int threads;
  int cpu_level;
  const void* weights;
  size_t weights_bytes;
  int weights_trusted;
} frit_options;

/* The bytes of a package's opaque context struct. */
typedef struct frit_context {
  uint64_t magic;
  frit_worker* workers;
  struct frit_pool* pool;
  uint8_t* arena;
  size_t arena_bytes;
  int threads;
} frit_context;

/* threads = 0 means max_threads. Returns 0 when `threads` is not in [0, max_threads]. */
size_t frit_arena_bytes(const frit_package* package, int threads);

/* Checks the options, lays out the arena, starts threads. Returns 0 or a code of error.h and leaves
 * the context uninitialised. threads = 0 means max_threads. */
int frit_init(frit_context* context, const frit_options* options, const frit_package* package);

/* Joins the threads; harmless on a context that is not initialised. */
void frit_release(frit_context* context);

/* The caller's worker, ready for a run; null when the context is null or not initialised. */
frit_worker* frit_begin_run(frit_context* context);

/* The CPU level that init chose; 0 when the context is null or not initialised. */
int frit_context_cpu_level(const frit_context* context);

/* The code that run returns for what a kernel returned. */
int frit_kernel_error(const frit_worker* worker, int kernel_code);

/* True when [a, a + a_bytes) and [b, b + b_bytes) share a byte. */
int frit_overlap(const void* a, size_t a_bytes, const void* b, size_t b_bytes);

#endif
