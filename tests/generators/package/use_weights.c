/* A user's program for a package with its weights in a file. Macros on the command line:
 * -DM(x)=model_##x, -DHEADER and -DMAP_HEADER, -DIN_FLOATS, -DOUT_FLOATS and -DSET_IO(io,in,out),
 * which sets the members of io. Arguments: the package's file, one of another package, and a step:
 * every one of the file's first bytes, then each step-th is broken in turn. */
#define _DEFAULT_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include HEADER
#include MAP_HEADER

static float in[IN_FLOATS], out[2][OUT_FLOATS];
static M(context) contexts[2];
static int failures;

static void expect(int code, int want, const char* what, size_t where) {
  if (code == want) return;
  printf("%s %lu: code %d (%s), not %d\n", what, (unsigned long)where, code, M(error_text)(code),
         want);
  ++failures;
}

static int init(const M(options) * options) {
  const int code = M(init)(&contexts[0], options);
  if (code == 0) M(release)(&contexts[0]);
  return code;
}

/* Two contexts on one mapping, one after the other and both alive: equal results. */
static void run_two(M(options) options) {
  M(io) io;
  void* const arenas[2] = {options.arena, aligned_alloc(64, options.arena_bytes)};
  for (int k = 0; k < 2; ++k) {
    options.arena = arenas[k];
    options.weights_trusted = k;
    expect(M(init)(&contexts[k], &options), 0, "init of context", (size_t)k);
  }
  for (size_t i = 0; i < IN_FLOATS; ++i) in[i] = (float)(i * 7919 % 2003) / 1001.0F - 1.0F;
  for (int k = 0; k < 2; ++k) {
    SET_IO(io, in, out[k]);
    expect(M(run)(&contexts[k], &io), 0, "run of context", (size_t)k);
  }
  if (memcmp(out[0], out[1], sizeof out[0]) != 0) failures += puts("results differ") >= 0;
  for (int k = 0; k < 2; ++k) M(release)(&contexts[k]);
  free(arenas[1]);
}

/* Lengths that are multiples of 64 lie just before a page that cannot be read. */
static void truncate_all(M(options) options, const unsigned char* whole, size_t bytes,
                         size_t step) {
  const size_t page = (size_t)sysconf(_SC_PAGESIZE), inner = (bytes + page - 1) / page * page;
  unsigned char* const room =
      mmap(0, inner + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  mprotect(room + inner, page, PROT_NONE);
  for (size_t length = 0; length < bytes; length += length < 256 ? 1 : step) {
    unsigned char* const start = room + (inner - (length + 63) / 64 * 64);
    memcpy(start, whole, length);
    options.weights = start;
    options.weights_bytes = length;
    expect(init(&options), 15, "truncated to", length);
  }
  munmap(room, inner + page);
}

static void flip_all(M(options) options, unsigned char* copy, size_t bytes, size_t step) {
  for (size_t byte = 0; byte < bytes; byte += byte < 128 ? 1 : step) {
    const int want = byte < 8 ? 16 : byte < 12 ? 17 : byte >= 24 && byte < 40 ? 18 : 19;
    copy[byte] ^= (unsigned char)(1U << byte % 8);
    expect(init(&options), want, "flipped a bit of byte", byte);
    copy[byte] ^= (unsigned char)(1U << byte % 8);
  }
  expect(init(&options), 0, "the copy, mended", 0);
}

int main(int count, char** arguments) {
  M(options) options = {0};
  const size_t step = count == 4 ? (size_t)atol(arguments[3]) : 1;
  options.size = sizeof options;
  options.threads = 1;
  options.arena_bytes = M(arena_bytes)(1);
  options.arena = aligned_alloc(64, options.arena_bytes);
  expect(init(&options), 13, "no weights", 0);
  expect(M(map_weights)(&options, "no/such/file"), 20, "no such file", 0);
  expect(M(map_weights)(&options, "/dev/null"), 15, "an empty file", 0);
  expect(options.weights != 0, 0, "options of a failed mapping", 0);
  expect(M(map_weights)(&options, arguments[2]), 0, "mapping another", 0);
  expect(init(&options), 18, "another package's file", 0);
  M(unmap_weights)(&options);
  expect(M(map_weights)(&options, HEADER), 0, "mapping a text", 0);
  expect(init(&options), 16, "a text", 0);
  M(unmap_weights)(&options);
  expect(M(map_weights)(&options, arguments[1]), 0, "mapping", 0);
  expect(options.weights_bytes != M(WEIGHTS_BYTES), 0, "bytes", options.weights_bytes);
  run_two(options);
  const unsigned char* const whole = options.weights;
  const size_t bytes = options.weights_bytes;
  unsigned char* const copy = aligned_alloc(64, bytes + 64);
  truncate_all(options, whole, bytes, step);
  memcpy(copy + 4, whole, bytes);
  options.weights = copy + 4;
  expect(init(&options), 14, "misaligned", 4);
  memcpy(copy, whole, bytes);
  options.weights = copy;
  flip_all(options, copy, bytes, step);
  if (failures == 0) printf("all as it should be\n");
  return failures != 0;
}
