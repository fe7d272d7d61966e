/* The k greatest keys of each row, as their places: the extern stage of TopK's kernels. */
#ifndef FRIT_TOPK_H
#define FRIT_TOPK_H

#include "buffer.h"

/* order[i, row] = the place in the row of its i-th greatest key; of equal keys the lower place
 * comes first. keys[j, row] are int32 or int64, order int32; j and i lie innermost, k is the extent
 * of i and at most `n`, the extent of j. Asked for bounds (keys without a host pointer), it says
 * that rows are read whole. Returns 0. */
int frit_topk(frit_buffer* keys, int32_t n, frit_buffer* order);

#endif
