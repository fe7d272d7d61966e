/* Parallel loops of kernels: halide_do_par_for over a pool of threads, or a plain loop.
 *
 * A package holds exactly one of parallel_none.c (built for one thread: no pool, no pthread names)
 * and parallel_pthread.c. Values never depend on which worker runs a task. */
#ifndef FRIT_PARALLEL_H
#define FRIT_PARALLEL_H

#include <stddef.h>

#include "worker.h"

/* The body of a parallel loop, compiled by Halide: 0, or the code of the error that stopped it. */
typedef int (*frit_task)(void* user_context, int index, uint8_t* closure);

/* Runs task(index) for every index in [first, first + count) and returns 0 or an error. */
int halide_do_par_for(void* user_context, frit_task task, int first, int count, uint8_t* closure);

/* Bytes of the pool's own state for `threads` workers, a multiple of FRIT_ALIGNMENT. */
size_t frit_pool_bytes(int threads);

/* Starts threads 1 .. threads-1 with workers[1 ..]; `memory` holds frit_pool_bytes. The only place
 * where frit starts a thread (and the C library allocates its stack). Returns 0 or
 * FRIT_THREAD_START with every thread that had started joined again. */
int frit_pool_start(void* memory, frit_worker* workers, int threads);

/* Ends and joins the threads. No run may be in progress. */
void frit_pool_stop(struct frit_pool* pool);

#endif
