/* A pool of threads for halide_do_par_for.
 *
 * The caller publishes a job (task, closure, range) and raises the job number. Each worker has an
 * equal share of the range, takes indices from its own share first and then from the others', so
 * a worker that the system has put aside holds nothing up but the task in its hands: the caller
 * waits for tasks to be done, not for workers to arrive.
 *
 * A share is one 64-bit word: job number (high half) and next index (low half). Taking an index is
 * a compare-and-swap of the whole word, so a worker that wakes late with an old job number can take
 * nothing; and while it holds an index of the current job, the job cannot end and its fields cannot
 * change. The caller closes all shares before it writes the fields of the next job, and a worker
 * reads the fields before it swaps: if it read a newer field, it meets a closed share.
 *
 * Idle workers spin for about 20 microseconds (the gap between two kernels of a run), then go on
 * for some 200 more while they offer their CPU to others every 2 (a serial kernel; waking a thread
 * that sleeps takes 30 to 80 here), and then sleep on a condition variable. A worker that finds
 * itself on the CPU of the caller or of a worker before it moves (placement.h). */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L /* sigset_t under -std=c99 */
#endif
#include <pthread.h>
#include <sched.h>
#include <signal.h>

#include "error.h"
#include "parallel.h"
#include "placement.h"

#define FRIT_CLOSED 0xffffffffu /* as next index: nothing to take */
#define FRIT_SPINS 2000         /* pauses of 10 ns or so before sleeping or yielding */
#define FRIT_OFFERS 100         /* times that a worker offers its CPU before it sleeps */
#define FRIT_PAUSES_PER_OFFER 200
#define FRIT_MOST_MOVES 64 /* jobs that find no CPU to move to before a worker stops trying */

typedef struct frit_share {
  uint64_t state; /* job << 32 | next index */
  pthread_t thread;
  frit_worker* worker;
  struct frit_pool* pool;
  int number;
  int cpu;     /* that ran it last; -1: not known */
  int in_vain; /* jobs for which it looked for another CPU and found none */
  uint8_t pad[FRIT_ALIGNMENT - 8 - sizeof(pthread_t) - 2 * sizeof(void*) - 3 * sizeof(int)];
} frit_share;

typedef struct frit_pool {
  /* The job. Written by the caller while no index of it can be taken. */
  frit_task task;
  uint8_t* closure;
  int first, count;
  uint32_t job;
  int error;
  int caller_cpu;
  uint8_t pad_1[FRIT_ALIGNMENT - 2 * sizeof(void*) - 5 * sizeof(int)];
  uint32_t done; /* tasks finished */
  uint8_t pad_2[FRIT_ALIGNMENT - sizeof(uint32_t)];
  int threads;
  int sleepers;
  int stop;
  pthread_mutex_t mutex;
  pthread_cond_t wake;
} frit_pool;

static frit_share* shares_of(frit_pool* pool) {
  return (frit_share*)(void*)((uint8_t*)pool + frit_round_up(sizeof(frit_pool)));
}

static void pause_briefly(void) {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ __volatile__("yield");
#endif
}

/* First index of share k of `count` indices over `threads` shares. */
static int share_begin(int count, int threads, int k) {
  return (int)((int64_t)count * k / threads);
}

/* Takes one index of `share` for job number `job`; -1 when there is none left. */
static int take(frit_share* share, uint32_t job, uint32_t end) {
  uint64_t seen = __atomic_load_n(&share->state, __ATOMIC_ACQUIRE);
  for (;;) {
    if ((uint32_t)(seen >> 32) != job || (uint32_t)seen >= end) return -1;
    if (__atomic_compare_exchange_n(&share->state, &seen, seen + 1, 0, __ATOMIC_ACQ_REL,
                                    __ATOMIC_ACQUIRE)) {
      return (int)(uint32_t)seen;
    }
  }
}

static void run_task(frit_pool* pool, frit_worker* worker, frit_task task, int index,
                     uint8_t* closure) {
  const int outer_error = worker->error;
  worker->error = 0;
  worker->in_task = 1;
  int code = task(worker, index, closure);
  worker->in_task = 0;
  if (worker->error != 0) code = worker->error;
  worker->error = outer_error;
  if (code != 0) {
    int none = 0;
    __atomic_compare_exchange_n(&pool->error, &none, code, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
  }
  __atomic_fetch_add(&pool->done, 1, __ATOMIC_RELEASE);
}

/* Runs tasks of job `job` until none is left to take, from share `own` onwards. */
static void work(frit_pool* pool, int own, uint32_t job) {
  frit_share* const shares = shares_of(pool);
  const frit_task task = __atomic_load_n(&pool->task, __ATOMIC_ACQUIRE);
  uint8_t* const closure = __atomic_load_n(&pool->closure, __ATOMIC_ACQUIRE);
  const int first = __atomic_load_n(&pool->first, __ATOMIC_ACQUIRE);
  const int count = __atomic_load_n(&pool->count, __ATOMIC_ACQUIRE);
  const int threads = pool->threads;
  for (int step = 0; step < threads; ++step) {
    const int k = (own + step) % threads;
    const uint32_t end = (uint32_t)share_begin(count, threads, k + 1);
    for (int i = take(&shares[k], job, end); i >= 0; i = take(&shares[k], job, end)) {
      run_task(pool, shares[own].worker, task, first + i, closure);
    }
  }
}

/* Moves the calling worker where the caller, or a worker before it, runs on the same CPU. */
static void keep_apart(frit_pool* pool, frit_share* own) {
  frit_share* const shares = shares_of(pool);
  const int cpu = frit_current_cpu();
  __atomic_store_n(&own->cpu, cpu, __ATOMIC_RELAXED);
  if (cpu < 0 || own->in_vain >= FRIT_MOST_MOVES) return;
  int busy[FRIT_MOST_MOVES];
  int count = 0, shared = 0;
  for (int k = 0; k < own->number && count < FRIT_MOST_MOVES; ++k, ++count) {
    busy[count] = k == 0 ? __atomic_load_n(&pool->caller_cpu, __ATOMIC_RELAXED)
                         : __atomic_load_n(&shares[k].cpu, __ATOMIC_RELAXED);
    shared |= busy[count] == cpu;
  }
  if (!shared) return;
  if (frit_move_off(busy, count)) {
    __atomic_store_n(&own->cpu, frit_current_cpu(), __ATOMIC_RELAXED);
  } else {
    ++own->in_vain;
  }
}

/* Waits until the job number is no longer `seen`, or stop. Returns the new number. */
static uint32_t wait_for_job(frit_pool* pool, uint32_t seen) {
  for (int spin = 0; spin < FRIT_SPINS + FRIT_OFFERS * FRIT_PAUSES_PER_OFFER; ++spin) {
    const uint32_t job = __atomic_load_n(&pool->job, __ATOMIC_ACQUIRE);
    if (job != seen) return job;
    if (spin > FRIT_SPINS && spin % FRIT_PAUSES_PER_OFFER == 0) sched_yield();
    pause_briefly();
  }
  pthread_mutex_lock(&pool->mutex);
  __atomic_fetch_add(&pool->sleepers, 1, __ATOMIC_SEQ_CST);
  uint32_t job = __atomic_load_n(&pool->job, __ATOMIC_SEQ_CST);
  while (job == seen && !pool->stop) {
    pthread_cond_wait(&pool->wake, &pool->mutex);
    job = __atomic_load_n(&pool->job, __ATOMIC_SEQ_CST);
  }
  __atomic_fetch_sub(&pool->sleepers, 1, __ATOMIC_SEQ_CST);
  pthread_mutex_unlock(&pool->mutex);
  return job;
}

static void* worker_main(void* argument) {
  frit_share* const share = (frit_share*)argument;
  frit_pool* const pool = share->pool;
  uint32_t seen = 0;
  for (;;) {
    const uint32_t job = wait_for_job(pool, seen);
    if (job == seen) return 0; /* stop */
    seen = job;
    keep_apart(pool, share);
    work(pool, share->number, job);
  }
}

/* Raises the job number; the sequentially consistent store and load pair with wait_for_job's, so
 * that either the worker sees the new number or the caller sees the sleeper. */
static void publish(frit_pool* pool, uint32_t job) {
  __atomic_store_n(&pool->job, job, __ATOMIC_SEQ_CST);
  if (__atomic_load_n(&pool->sleepers, __ATOMIC_SEQ_CST) > 0) {
    pthread_mutex_lock(&pool->mutex);
    pthread_cond_broadcast(&pool->wake);
    pthread_mutex_unlock(&pool->mutex);
  }
}

/* Writes the fields and shares of the next job and returns its number. */
static uint32_t open_job(frit_pool* pool, frit_task task, int first, int count, uint8_t* closure) {
  frit_share* const shares = shares_of(pool);
  const uint32_t job = pool->job + 1 == 0 ? 1 : pool->job + 1; /* a fresh worker has seen 0 */
  const uint64_t tag = (uint64_t)job << 32;
  for (int k = 0; k < pool->threads; ++k) {
    __atomic_store_n(&shares[k].state, tag | FRIT_CLOSED, __ATOMIC_RELEASE);
  }
  __atomic_store_n(&pool->task, task, __ATOMIC_RELEASE);
  __atomic_store_n(&pool->closure, closure, __ATOMIC_RELEASE);
  __atomic_store_n(&pool->first, first, __ATOMIC_RELEASE);
  __atomic_store_n(&pool->count, count, __ATOMIC_RELEASE);
  __atomic_store_n(&pool->caller_cpu, frit_current_cpu(), __ATOMIC_RELAXED);
  __atomic_store_n(&pool->error, 0, __ATOMIC_RELAXED);
  __atomic_store_n(&pool->done, 0, __ATOMIC_RELAXED);
  for (int k = 0; k < pool->threads; ++k) {
    const uint32_t begin = (uint32_t)share_begin(count, pool->threads, k);
    __atomic_store_n(&shares[k].state, tag | begin, __ATOMIC_RELEASE);
  }
  return job;
}

static int run_in_order(frit_worker* worker, frit_task task, int first, int count,
                        uint8_t* closure) {
  for (int i = 0; i < count; ++i) {
    const int code = task(worker, first + i, closure);
    if (code != 0) return code;
  }
  return 0;
}

int halide_do_par_for(void* user_context, frit_task task, int first, int count, uint8_t* closure) {
  frit_worker* const worker = (frit_worker*)user_context;
  frit_pool* const pool = worker->pool;
  if (pool == 0 || worker->in_task || count <= 1) {
    return run_in_order(worker, task, first, count, closure);
  }
  const uint32_t job = open_job(pool, task, first, count, closure);
  publish(pool, job);
  work(pool, 0, job);
  for (int spin = 0; __atomic_load_n(&pool->done, __ATOMIC_ACQUIRE) != (uint32_t)count; ++spin) {
    if (spin < FRIT_SPINS) {
      pause_briefly();
    } else {
      sched_yield();
    }
  }
  return __atomic_load_n(&pool->error, __ATOMIC_RELAXED);
}

size_t frit_pool_bytes(int threads) {
  if (threads <= 1) return 0;
  return frit_round_up(sizeof(frit_pool)) + frit_round_up((size_t)threads * sizeof(frit_share));
}

int frit_pool_start(void* memory, frit_worker* workers, int threads) {
  frit_pool* const pool = (frit_pool*)memory;
  frit_share* const shares = shares_of(pool);
  pool->threads = threads;
  pool->job = 0;
  pool->caller_cpu = -1;
  pool->sleepers = 0;
  pool->stop = 0;
  if (pthread_mutex_init(&pool->mutex, 0) != 0) return FRIT_THREAD_START;
  if (pthread_cond_init(&pool->wake, 0) != 0) {
    pthread_mutex_destroy(&pool->mutex);
    return FRIT_THREAD_START;
  }
  for (int k = 0; k < threads; ++k) {
    shares[k].state = 0;
    shares[k].worker = &workers[k];
    shares[k].pool = pool;
    shares[k].number = k;
    shares[k].cpu = -1;
    shares[k].in_vain = 0;
  }
  /* Signals stay with the program's own threads. */
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  int started = 1;
  while (started < threads &&
         pthread_create(&shares[started].thread, 0, worker_main, &shares[started]) == 0) {
    ++started;
  }
  pthread_sigmask(SIG_SETMASK, &before, 0);
  if (started == threads) return 0;
  pool->threads = started;
  frit_pool_stop(pool);
  return FRIT_THREAD_START;
}

void frit_pool_stop(frit_pool* pool) {
  if (pool == 0) return;
  pthread_mutex_lock(&pool->mutex);
  pool->stop = 1;
  pthread_cond_broadcast(&pool->wake);
  pthread_mutex_unlock(&pool->mutex);
  for (int k = 1; k < pool->threads; ++k) pthread_join(shares_of(pool)[k].thread, 0);
  pthread_cond_destroy(&pool->wake);
  pthread_mutex_destroy(&pool->mutex);
}
