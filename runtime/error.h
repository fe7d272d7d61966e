/* Codes that a package's functions return. 0 is success; each has a sentence in error.c. */
#ifndef FRIT_ERROR_H
#define FRIT_ERROR_H

enum {
  FRIT_OK = 0,
  FRIT_NULL_ARGUMENT = 1,
  FRIT_OPTIONS_SIZE = 2,
  FRIT_THREAD_COUNT = 3,
  FRIT_NO_ARENA = 4,
  FRIT_ARENA_ALIGNMENT = 5,
  FRIT_ARENA_SIZE = 6,
  FRIT_THREAD_START = 7,
  FRIT_NOT_INITIALISED = 8,
  FRIT_NULL_TENSOR = 9,
  FRIT_TENSOR_ALIGNMENT = 10,
  FRIT_TENSOR_OVERLAP = 11,
  FRIT_SLAB_FULL = 12,
  FRIT_NO_WEIGHTS = 13,
  FRIT_WEIGHTS_ALIGNMENT = 14,
  FRIT_WEIGHTS_SIZE = 15,
  FRIT_WEIGHTS_KIND = 16,
  FRIT_WEIGHTS_VERSION = 17,
  FRIT_WEIGHTS_PACKAGE = 18,
  FRIT_WEIGHTS_DAMAGED = 19,
  FRIT_WEIGHTS_FILE = 20,
  FRIT_CPU_LEVEL = 21,
  FRIT_CPU_LACKS_LEVEL = 22,
  /* A kernel compiled with checks stopped; FRIT_KERNEL + n is Halide's error code -n. */
  FRIT_KERNEL = 100
};

/* A static sentence; never null, whatever the code. */
const char* frit_error_text(int code);

#endif
