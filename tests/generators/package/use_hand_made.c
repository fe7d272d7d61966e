/* A user's program for the hand-made package: runs it in an arena between guard pages, paints the
 * arena to find what is used, and counts every allocation made while it runs. */
#define _DEFAULT_SOURCE
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "hand_made.h"

static long allocations;
#ifndef NO_INTERPOSER /* where glibc is linked statically it cannot be interposed */
void* __libc_malloc(size_t bytes);
void* __libc_calloc(size_t count, size_t bytes);
void* __libc_realloc(void* block, size_t bytes);
void* malloc(size_t bytes) { return ++allocations, __libc_malloc(bytes); }
void* calloc(size_t count, size_t bytes) { return ++allocations, __libc_calloc(count, bytes); }
void* realloc(void* block, size_t bytes) { return ++allocations, __libc_realloc(block, bytes); }
#endif

/* `bytes` bytes that end (or begin) at a page that may not be touched. */
static unsigned char* guarded(size_t bytes, int at_end) {
  const size_t page = (size_t)sysconf(_SC_PAGESIZE);
  const size_t inner = (bytes + page - 1) / page * page;
  unsigned char* const all =
      mmap(0, inner + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  mprotect(all + page, inner, PROT_READ | PROT_WRITE);
  return at_end ? all + page + inner - bytes : all + page;
}

static float expected(const float* x, int c, int y, int i) {
  float sum = 0;
  for (int dy = -1; dy <= 1; ++dy) {
    for (int dx = -1; dx <= 1; ++dx) {
      const int inside = y + dy >= 0 && y + dy < 6 && i + dx >= 0 && i + dx < 8;
      const float v = inside ? x[c * 48 + (y + dy) * 8 + i + dx] : 0;
      sum += inside ? (v < 0 ? 0 : v) : -1.5F;
    }
  }
  return sum * (float)(c + 2);
}

static int check(int threads, int at_end) {
  static hand_made_context context;
  hand_made_options options = {0};
  const size_t bytes = hand_made_arena_bytes(threads);
  unsigned char* const arena = guarded(bytes, at_end);
  float* const x = (float*)(void*)guarded(hand_made_x_BYTES, at_end);
  float* const y = (float*)(void*)guarded(hand_made_y_BYTES, at_end);
  float* const c = (float*)(void*)guarded(hand_made_c_BYTES, at_end);
  hand_made_io io;
  size_t untouched = 0;
  int bad = 0;
  memset(arena, 0xA5, bytes);
  options.size = sizeof options;
  options.arena = arena;
  options.arena_bytes = bytes;
  options.threads = threads;
  int code = hand_made_init(&context, &options);
  if (code != 0) return printf("init: %s\n", hand_made_error_text(code)), 1;
  io.x = x;
  io.y = y;
  io.c = c;
  for (int run = 0; run < 5; ++run) {
    for (int k = 0; k < 144; ++k) x[k] = (float)((k * 7 + run * 13) % 23) - 9.0F;
    const long before = allocations;
    code = hand_made_run(&context, &io);
    if (allocations != before) return printf("run allocated\n"), 1;
    if (code != 0) return printf("run: %s\n", hand_made_error_text(code)), 1;
    for (int k = 0; k < 144; ++k) {
      const float want = expected(x, k / 48, k / 8 % 6, k % 8);
      bad += y[k] != want || c[k] != want;
    }
  }
  hand_made_release(&context);
  for (size_t k = 0; k < bytes; ++k) untouched += arena[k] == 0xA5;
  printf("threads %d: %d wrong, %lu of %lu bytes untouched\n", threads, bad,
         (unsigned long)untouched, (unsigned long)bytes);
  /* A painted byte may be written with the paint's own value, hence "at least". Slabs of further
   * threads stay untouched when the calling thread was quicker. */
  return bad != 0 || (threads == 1 && untouched * 10 > bytes);
}

int main(void) {
  int failed = hand_made_arena_bytes(-1) != 0 || hand_made_arena_bytes(1000) != 0 ||
               hand_made_arena_bytes(0) != hand_made_arena_bytes(hand_made_THREADS_MAX) ||
               check(0, 1);
  for (int threads = 1; threads <= hand_made_THREADS_MAX; ++threads) {
    failed |= check(threads, 0) | check(threads, 1);
  }
  return failed;
}
