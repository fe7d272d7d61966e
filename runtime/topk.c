/* A heap of the k best places, whose root is the worst of them: O(n log k) for a row, then the heap
 * is sorted where it lies. No memory but the output's. */
#include "topk.h"

/* A row: keys, how far apart they are, and which of two sizes they have. */
typedef struct frit_keys {
  const uint8_t* first;
  int64_t stride; /* bytes */
  int wide;       /* int64_t, else int32_t */
} frit_keys;

static int64_t key_at(const frit_keys* keys, int32_t place) {
  const uint8_t* at = keys->first + place * keys->stride;
  return keys->wide ? *(const int64_t*)(const void*)at : *(const int32_t*)(const void*)at;
}

/* Whether place a comes after place b in the result. */
static int is_worse(const frit_keys* keys, int32_t a, int32_t b) {
  const int64_t x = key_at(keys, a), y = key_at(keys, b);
  return x < y || (x == y && a > b);
}

/* Puts `place` at `hole` of heap[0, size) or, while a child there is worse, lower. */
static void sift_down(const frit_keys* keys, int32_t* heap, int64_t size, int64_t hole,
                      int32_t place) {
  for (;;) {
    int64_t child = 2 * hole + 1;
    if (child >= size) break;
    if (child + 1 < size && is_worse(keys, heap[child + 1], heap[child])) ++child;
    if (!is_worse(keys, heap[child], place)) break;
    heap[hole] = heap[child];
    hole = child;
  }
  heap[hole] = place;
}

static void best_of_row(const frit_keys* keys, int32_t n, int32_t* heap, int32_t k) {
  for (int32_t i = 0; i < k; ++i) heap[i] = i;
  for (int64_t i = k / 2 - 1; i >= 0; --i) sift_down(keys, heap, k, i, heap[i]);
  int64_t worst = key_at(keys, heap[0]);
  for (int32_t j = k; j < n; ++j) {
    if (key_at(keys, j) <= worst) continue; /* of equals, those before stay */
    sift_down(keys, heap, k, 0, j);
    worst = key_at(keys, heap[0]);
  }
  for (int64_t left = k - 1; left > 0; --left) { /* the worst goes to the end */
    const int32_t last = heap[left];
    heap[left] = heap[0];
    sift_down(keys, heap, left, 0, last);
  }
}

int frit_topk(frit_buffer* keys, int32_t n, frit_buffer* order) {
  if (keys->host == 0) {
    keys->dim[0].min = 0;
    keys->dim[0].extent = n;
    keys->dim[1].min = order->dim[1].min;
    keys->dim[1].extent = order->dim[1].extent;
  }
  if (keys->host == 0 || order->host == 0) return 0;
  const int64_t size = keys->type.bits / 8;
  const int32_t k = order->dim[0].extent;
  if (k < 1) return 0;
  for (int32_t row = 0; row < order->dim[1].extent; ++row) {
    const int64_t from = row + (order->dim[1].min - keys->dim[1].min);
    frit_keys row_keys;
    row_keys.first = keys->host + from * keys->dim[1].stride * size;
    row_keys.stride = keys->dim[0].stride * size;
    row_keys.wide = size == 8;
    int32_t* best = (int32_t*)(void*)order->host + row * (int64_t)order->dim[1].stride;
    best_of_row(&row_keys, n, best, k);
  }
  return 0;
}
