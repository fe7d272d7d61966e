/* Runs a frit package on request, for compare.py.
 *
 *   cc -DFRIT_NAME=ocr_rec -DFRIT_HEADER='"ocr_rec.h"' driver.c libocr_rec.a -lm -pthread
 *   ./driver THREADS IN.bin:BYTES... -- OUT.bin:BYTES...
 *
 * Loads every input, runs once, writes every output, prints "ready". Then, for each line "N" on
 * stdin, runs N times and prints N times in nanoseconds on one line. */
#define _POSIX_C_SOURCE 200112L
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include FRIT_HEADER

#define JOIN2(a, b) a##b
#define JOIN(a, b) JOIN2(a, b)
#define OF(name) JOIN(FRIT_NAME, name)

enum { MOST_TENSORS = 64 };

static int fail(const char* what, const char* detail) {
  fprintf(stderr, "driver: %s %s\n", what, detail);
  return 1;
}

static int64_t now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* The buffer that "FILE:BYTES" asks for; *file is cut at the colon. */
static void* buffer_of(char* file, size_t* bytes) {
  char* colon = strrchr(file, ':');
  if (!colon) return NULL;
  *colon = 0;
  *bytes = strtoull(colon + 1, NULL, 10);
  return aligned_alloc(64, (*bytes + 63) / 64 * 64);
}

static int transfer(const char* file, const char* mode, void* data, size_t bytes) {
  FILE* stream = fopen(file, mode);
  size_t moved;
  if (!stream) return 0;
  moved = *mode == 'r' ? fread(data, 1, bytes, stream) : fwrite(data, 1, bytes, stream);
  return fclose(stream) == 0 && moved == bytes;
}

int main(int argc, char** argv) {
  static OF(_context) context;
  OF(_options) options = {0};
  /* The io struct of every package is a row of pointers, inputs first. */
  void* io[MOST_TENSORS];
  size_t bytes[MOST_TENSORS];
  int count = 0, outputs = 0, code, i;
  if (argc < 2) return fail("usage:", "driver THREADS IN:BYTES... -- OUT:BYTES...");
  for (i = 2; i < argc && count < MOST_TENSORS; ++i) {
    if (strcmp(argv[i], "--") == 0) {
      outputs = i + 1;
      continue;
    }
    io[count] = buffer_of(argv[i], &bytes[count]);
    if (!io[count]) return fail("no memory for", argv[i]);
    if (!outputs && !transfer(argv[i], "rb", io[count], bytes[count])) {
      return fail("cannot read", argv[i]);
    }
    ++count;
  }
  options.size = sizeof options;
  options.threads = atoi(argv[1]);
  options.arena_bytes = OF(_arena_bytes)(options.threads);
  options.arena = aligned_alloc(64, (options.arena_bytes + 127) / 64 * 64);
  code = OF(_init)(&context, &options);
  if (code == 0) code = OF(_run)(&context, (const OF(_io)*)(const void*)io);
  if (code != 0) return fail("package:", OF(_error_text)(code));
  for (i = outputs; i < argc && outputs; ++i) {
    int at = count - (argc - i);
    if (!transfer(argv[i], "wb", io[at], bytes[at])) return fail("cannot write", argv[i]);
  }
  puts("ready");
  fflush(stdout);
  {
    char line[32];
    while (fgets(line, sizeof line, stdin)) {
      long runs = strtol(line, NULL, 10);
      while (runs-- > 0) {
        int64_t start = now_ns();
        OF(_run)(&context, (const OF(_io)*)(const void*)io);
        printf("%lld ", (long long)(now_ns() - start));
      }
      puts("");
      fflush(stdout);
    }
  }
  OF(_release)(&context);
  return 0;
}
