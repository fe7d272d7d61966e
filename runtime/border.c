/* Border filling: the stored elements outside the interior, in runs as long as they come.
 *
 * For [n, y, x, c] with a border of one pixel: a row above, then two pixels between neighbouring
 * rows as one run, then a row below. Only bytes of the border are written. */
#include "border.h"

#include <string.h>

#define FRIT_MAX_RANK 16

typedef struct filler {
  uint8_t* begin; /* of the run being gathered */
  uint8_t* end;
  const uint8_t* fill;
  size_t element_bytes;
  int same_bytes; /* every byte of the fill is equal: memset */
} filler;

static void flush(filler* f) {
  const size_t bytes = (size_t)(f->end - f->begin);
  if (bytes == 0) return;
  if (f->same_bytes) {
    memset(f->begin, f->fill[0], bytes);
  } else if (f->element_bytes == 4) {
    uint32_t value;
    memcpy(&value, f->fill, 4);
    for (size_t i = 0; i < bytes; i += 4) memcpy(f->begin + i, &value, 4);
  } else {
    for (size_t i = 0; i < bytes; i += f->element_bytes) {
      memcpy(f->begin + i, f->fill, f->element_bytes);
    }
  }
}

/* Adds a run; runs come in order of address, and neighbours are joined. */
static void add_run(filler* f, uint8_t* begin, size_t bytes) {
  if (bytes == 0) return;
  if (begin != f->end) {
    flush(f);
    f->begin = begin;
  }
  f->end = begin + bytes;
}

void frit_fill_border(void* base, size_t element_bytes, const void* fill, int rank,
                      const frit_border_axis* axes) {
  size_t stride[FRIT_MAX_RANK];
  int32_t at[FRIT_MAX_RANK];
  int last = -1; /* innermost axis with a border */
  int empty = 0; /* no interior at all: everything is border */
  size_t bytes = element_bytes;
  for (int axis = rank; axis-- > 0;) {
    stride[axis] = bytes;
    bytes *= (size_t)(axes[axis].low + axes[axis].extent + axes[axis].high);
    if (last < 0 && axes[axis].low + axes[axis].high > 0) last = axis;
    empty |= axes[axis].extent == 0;
  }
  filler f = {(uint8_t*)base, (uint8_t*)base, (const uint8_t*)fill, element_bytes, 1};
  for (size_t i = 1; i < element_bytes; ++i) f.same_bytes &= f.fill[i] == f.fill[0];
  if (last < 0) return;
  if (empty) {
    add_run(&f, (uint8_t*)base, bytes);
    flush(&f);
    return;
  }
  /* Walk the interior indices of axes 0 .. last, depth first: low border on the way in, high border
   * on the way out. */
  int axis = 0;
  uint8_t* here = (uint8_t*)base;
  at[0] = -1;
  while (axis >= 0) {
    const frit_border_axis* const a = &axes[axis];
    if (at[axis] < 0) { /* entering: `here` is the start of this axis */
      add_run(&f, here, (size_t)a->low * stride[axis]);
      here += (size_t)a->low * stride[axis];
      at[axis] = 0;
    } else { /* back from the inner axis: `here` is the start of the next slice */
      at[axis]++;
    }
    if (axis == last) {
      here += (size_t)a->extent * stride[axis];
      at[axis] = a->extent;
    }
    if (at[axis] == a->extent) {
      add_run(&f, here, (size_t)a->high * stride[axis]);
      here += (size_t)a->high * stride[axis];
      axis--;
    } else {
      at[++axis] = -1;
    }
  }
  flush(&f);
}
