/* A user's program for a model with one input and one output, named by macros on the command line:
 * -DM(x)=model_##x -DIN=x -DOUT=y, the header by -DHEADER. Arguments: files of the input and of
 * the expected output. The arena and the tensors lie between guard pages. */
#define _DEFAULT_SOURCE
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include HEADER

static long allocations;
void* __libc_malloc(size_t bytes);
void* __libc_calloc(size_t count, size_t bytes);
void* __libc_realloc(void* block, size_t bytes);
void* malloc(size_t bytes) { return ++allocations, __libc_malloc(bytes); }
void* calloc(size_t count, size_t bytes) { return ++allocations, __libc_calloc(count, bytes); }
void* realloc(void* block, size_t bytes) { return ++allocations, __libc_realloc(block, bytes); }

static unsigned char* guarded(size_t bytes, int at_end) {
  const size_t page = (size_t)sysconf(_SC_PAGESIZE);
  const size_t inner = (bytes + page - 1) / page * page;
  unsigned char* const all =
      mmap(0, inner + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  mprotect(all + page, inner, PROT_READ | PROT_WRITE);
  return at_end ? all + page + inner - bytes : all + page;
}

static int load(const char* path, void* to, size_t bytes) {
  FILE* const file = fopen(path, "rb");
  const size_t got = file == 0 ? 0 : fread(to, 1, bytes, file);
  if (file != 0) fclose(file);
  return got == bytes;
}

/* Painted bytes that were never written: counted in runs of 64, as values may hold the paint. */
static size_t untouched_lines(const unsigned char* arena, size_t bytes) {
  size_t lines = 0;
  for (size_t line = 0; line + 64 <= bytes; line += 64) {
    int painted = 1;
    for (int k = 0; k < 64; ++k) painted &= arena[line + (size_t)k] == 0xA5;
    lines += (size_t)painted;
  }
  return lines;
}

static int check(char** files, int threads, int at_end) {
  static M(context) context;
  M(options) options = {0};
  const size_t bytes = M(arena_bytes)(threads);
  unsigned char* const arena = guarded(bytes, at_end);
  unsigned char* const in = guarded(IN_BYTES, at_end);
  unsigned char* const out = guarded(OUT_BYTES, at_end);
  unsigned char* const want = guarded(OUT_BYTES, at_end);
  M(io) io;
  float worst = 0;
  if (!load(files[0], in, IN_BYTES) || !load(files[1], want, OUT_BYTES)) {
    return printf("cannot read the data\n"), 1;
  }
  memset(arena, 0xA5, bytes);
  options.size = sizeof options;
  options.arena = arena;
  options.arena_bytes = bytes;
  options.threads = threads;
  int code = M(init)(&context, &options);
  io.IN = (const float*)(void*)in;
  io.OUT = (float*)(void*)out;
  for (int run = 0; run < 3 && code == 0; ++run) {
    const long before = allocations;
    memset(out, 0xFF, OUT_BYTES);
    code = M(run)(&context, &io);
    if (allocations != before) return printf("run allocated\n"), 1;
    for (size_t k = 0; k < OUT_BYTES / 4; ++k) {
      const float difference = fabsf(io.OUT[k] - ((float*)(void*)want)[k]);
      if (!(difference <= worst)) worst = difference;
    }
  }
  if (code != 0) return printf("%s\n", M(error_text)(code)), 1;
  M(release)(&context);
  const size_t untouched = 64 * untouched_lines(arena, bytes);
  printf("threads %d: worst difference %g, %lu of %lu bytes untouched\n", threads, (double)worst,
         (unsigned long)untouched, (unsigned long)bytes);
  return !(worst <= 1e-5F) || (threads == 1 && untouched * 10 > bytes);
}

int main(int count, char** arguments) {
  int failed = count != 3;
  for (int threads = 1; threads <= THREADS && !failed; ++threads) {
    failed |= check(arguments + 1, threads, 0) | check(arguments + 1, threads, 1);
  }
  return failed;
}
