/* The memory layout that kernels compiled by Halide 21 expect of a buffer argument.
 *
 * The layout is a fact of the compiled code: field order, widths and meaning; names that the
 * kernels do not see are ours. Checked against Halide's own header by tests/generators/package. */
#ifndef FRIT_BUFFER_H
#define FRIT_BUFFER_H

#include <stdint.h>

/* One axis, innermost first in a buffer. stride is in elements. */
typedef struct frit_dim {
  int32_t min, extent, stride;
  uint32_t flags; /* reserved, 0 */
} frit_dim;

/* Element type: code 0 signed, 1 unsigned, 2 float, 4 bfloat; lanes is 1. */
typedef struct frit_type {
  uint8_t code, bits;
  uint16_t lanes;
} frit_type;

typedef struct frit_buffer {
  uint64_t device;              /* 0: lies on the host only */
  const void* device_interface; /* 0 */
  uint8_t* host;                /* address of element (min_0, min_1, ...) */
  uint64_t flags;               /* 0: neither side is dirty */
  frit_type type;
  int32_t dimensions;
  frit_dim* dim; /* `dimensions` of them; kernels only read them */
  void* padding;
} frit_buffer;

/* A buffer over bytes that lie on the host. Kernels write through outputs only, and never to
 * `dims`: the casts drop a const that the layout has no place for. */
static inline frit_buffer frit_host_buffer(const void* host, frit_type type, int32_t dimensions,
                                           const frit_dim* dims) {
  frit_buffer buffer;
  buffer.device = 0;
  buffer.device_interface = 0;
  buffer.host = (uint8_t*)(uintptr_t)host;
  buffer.flags = 0;
  buffer.type = type;
  buffer.dimensions = dimensions;
  buffer.dim = (frit_dim*)(uintptr_t)dims;
  buffer.padding = 0;
  return buffer;
}

#endif
