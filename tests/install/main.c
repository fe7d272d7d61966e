/* Runs two packages made of one model and compares them. */
#include <stdio.h>
#include <stdlib.h>

#include "small.h"
#include "small_threads.h"

static float x[small_x_ELEMENTS], y[small_y_ELEMENTS], y_threads[small_y_ELEMENTS];

static int run_small(void) {
  static small_context context;
  small_options options = {0};
  small_io io = {x, y};
  int code;
  options.size = sizeof options;
  options.threads = 1;
  options.arena_bytes = small_arena_bytes(1);
  options.arena = aligned_alloc(small_ARENA_ALIGNMENT, options.arena_bytes);
  code = small_init(&context, &options);
  if (code == 0) code = small_run(&context, &io);
  if (code != 0) puts(small_error_text(code));
  small_release(&context);
  free(options.arena);
  return code;
}

static int run_small_threads(void) {
  static small_threads_context context;
  small_threads_options options = {0};
  small_threads_io io = {x, y_threads};
  int code;
  options.size = sizeof options;
  options.threads = 2;
  options.arena_bytes = small_threads_arena_bytes(2);
  options.arena = aligned_alloc(small_threads_ARENA_ALIGNMENT, options.arena_bytes);
  code = small_threads_init(&context, &options);
  if (code == 0) code = small_threads_run(&context, &io);
  if (code != 0) puts(small_threads_error_text(code));
  small_threads_release(&context);
  free(options.arena);
  return code;
}

int main(void) {
  int i, different = 0;
  double sum = 0;
  for (i = 0; i < small_x_ELEMENTS; ++i) x[i] = (float)(i % 7) * 0.25f - 0.5f;
  if (run_small() != 0 || run_small_threads() != 0) return 1;
  for (i = 0; i < small_y_ELEMENTS; ++i) {
    different += y[i] != y_threads[i];
    sum += y[i];
  }
  printf("sum %.4f different %d\n", sum, different);
  return different != 0;
}
