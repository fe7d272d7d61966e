/* Strided copies, row by row. */
#include "copy.h"

#include <string.h>

static void copy_row(uint8_t* to, const uint8_t* from, size_t element_bytes,
                     const frit_copy_axis* axis) {
  const int64_t element = (int64_t)element_bytes;
  if (axis->to_stride == element && axis->from_stride == element) {
    memcpy(to, from, (size_t)axis->extent * element_bytes);
    return;
  }
  for (int64_t i = 0; i < axis->extent; ++i) {
    memcpy(to + i * axis->to_stride, from + i * axis->from_stride, element_bytes);
  }
}

void frit_copy(void* to, const void* from, size_t element_bytes, int rank,
               const frit_copy_axis* axes) {
  int64_t rows = 1;
  if (rank == 0) {
    memcpy(to, from, element_bytes);
    return;
  }
  for (int axis = 0; axis < rank - 1; ++axis) rows *= axes[axis].extent;
  for (int64_t row = 0; row < rows; ++row) {
    int64_t rest = row, to_offset = 0, from_offset = 0;
    for (int axis = rank - 1; axis-- > 0;) {
      const int64_t index = rest % axes[axis].extent;
      rest /= axes[axis].extent;
      to_offset += index * axes[axis].to_stride;
      from_offset += index * axes[axis].from_stride;
    }
    copy_row((uint8_t*)to + to_offset, (const uint8_t*)from + from_offset, element_bytes,
             &axes[rank - 1]);
  }
}
