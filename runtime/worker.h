/* A worker: what a kernel is given as its user context.
 *
 * Worker 0 is the thread that calls run; the others are the pool's. Each has a slab of the arena
 * of its own for the temporaries that kernels ask of halide_malloc, so workers share no state. */
#ifndef FRIT_WORKER_H
#define FRIT_WORKER_H

#include <stddef.h>
#include <stdint.h>

#define FRIT_ALIGNMENT 64       /* of the arena, of each value in it and of each temporary */
#define FRIT_MAX_TEMPORARIES 64 /* alive at once in one worker */

struct frit_pool;

typedef struct frit_worker {
  uint8_t* arena;
  const uint8_t* weights; /* first constant of a file of weights; null: they are in the package */
  struct frit_pool* pool; /* null: tasks run in the caller's thread */
  uint8_t* slab;
  size_t slab_bytes;
  size_t used_bytes; /* of the slab; blocks lie in order of asking */
  int error;         /* first code of error.h met in the current call */
  int cpu_level;     /* of cpu.h, whose kernels are called; 0: the package has one target */
  int in_task;       /* inside a task: a nested parallel loop runs here, in order */
  int blocks;        /* alive, or freed under one that is alive */
  uint64_t freed;    /* bit i: block i was freed before one above it */
  size_t block_start[FRIT_MAX_TEMPORARIES];
} frit_worker;

static inline size_t frit_round_up(size_t bytes) {
  return (bytes + (FRIT_ALIGNMENT - 1)) & ~(size_t)(FRIT_ALIGNMENT - 1);
}

/* Before a kernel call: an empty slab at `slab`. */
static inline void frit_worker_slab(frit_worker* worker, uint8_t* slab, size_t slab_bytes) {
  worker->slab = slab;
  worker->slab_bytes = slab_bytes;
  worker->used_bytes = 0;
  worker->blocks = 0;
  worker->freed = 0;
}

/* Keeps the first error of a call. */
static inline void frit_worker_fail(frit_worker* worker, int code) {
  if (worker->error == 0) worker->error = code;
}

#endif
