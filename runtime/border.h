/* Fills the border (halo) of a packed buffer, leaving its interior alone. */
#ifndef FRIT_BORDER_H
#define FRIT_BORDER_H

#include <stddef.h>
#include <stdint.h>

/* One axis, outermost first: interior extent and border elements before and after it. */
typedef struct frit_border_axis {
  int32_t extent, low, high;
} frit_border_axis;

/* `base` is the first stored byte; axes lie packed, the last one innermost. Every element outside
 * the interior is set to the `element_bytes` (1, 2, 4 or 8) bytes at `fill`. */
void frit_fill_border(void* base, size_t element_bytes, const void* fill, int rank,
                      const frit_border_axis* axes);

#endif
