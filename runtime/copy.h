/* Copies a tensor between two layouts: graph inputs into buffers with a halo, and values that lie
 * inside other buffers out to the caller. */
#ifndef FRIT_COPY_H
#define FRIT_COPY_H

#include <stddef.h>
#include <stdint.h>

/* One axis, outermost first; strides in bytes. */
typedef struct frit_copy_axis {
  int64_t extent, to_stride, from_stride;
} frit_copy_axis;

/* to[i] = from[i] for every index; the buffers do not overlap. The last axis is copied in one run
 * when both of its strides are `element_bytes`. */
void frit_copy(void* to, const void* from, size_t element_bytes, int rank,
               const frit_copy_axis* axes);

#endif
