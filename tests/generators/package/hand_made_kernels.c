/* Kernels with the ABI of those that Halide compiles: int kernel(user_context, buffers...). */
#include <string.h>

#include "runtime/buffer.h"
#include "runtime/parallel.h"

void* halide_malloc(void* user_context, size_t bytes);
void halide_free(void* user_context, void* block);

int hand_relu(void* user_context, frit_buffer* in, frit_buffer* out);
int hand_box(void* user_context, frit_buffer* in, frit_buffer* out);
int hand_scale(void* user_context, frit_buffer* in, frit_buffer* w, frit_buffer* out);
int hand_copy(void* user_context, frit_buffer* in, frit_buffer* out);
/* Dropped from a package, as nothing calls them. */
int hand_relu_argv(void** arguments);
int hand_relu_argv(void** arguments) { return arguments == 0; }

static float* at(const frit_buffer* b, int i, int j, int k, int l) {
  const frit_dim* d = b->dim;
  return (float*)(void*)b->host + (i - d[0].min) * d[0].stride + (j - d[1].min) * d[1].stride +
         (k - d[2].min) * d[2].stride + (l - d[3].min) * d[3].stride;
}

/* in: x, y, c, n; out: c, x, y, n (interior only). */
int hand_relu(void* user_context, frit_buffer* in, frit_buffer* out) {
  (void)user_context;
  for (int c = 0; c < 3; ++c) {
    for (int y = 0; y < 6; ++y) {
      for (int x = 0; x < 8; ++x) {
        const float v = *at(in, x, y, c, 0);
        *at(out, c, x, y, 0) = v < 0 ? 0 : v;
      }
    }
  }
  return 0;
}

typedef struct box_closure {
  const frit_buffer* in;
  float* rows; /* [6][8][3] */
} box_closure;

static int box_row(void* user_context, int y, uint8_t* closure) {
  const box_closure* const c = (const box_closure*)(void*)closure;
  float* const row = (float*)halide_malloc(user_context, 20000);
  if (row == 0) return -11;
  memset(row, 0, 20000);
  for (int x = 0; x < 8; ++x) {
    for (int k = 0; k < 3; ++k) {
      for (int r = 0; r < 9; ++r) row[x * 3 + k] += *at(c->in, k, x + r % 3 - 1, y + r / 3 - 1, 0);
    }
  }
  memcpy(c->rows + y * 24, row, 24 * sizeof(float));
  halide_free(user_context, row);
  return 0;
}

/* in: c, x, y, n with its border; out: c, x, y, n. Temporaries are freed in the order of asking. */
int hand_box(void* user_context, frit_buffer* in, frit_buffer* out) {
  float* const first = (float*)halide_malloc(user_context, 100);
  float* const rows = (float*)halide_malloc(user_context, 6 * 24 * sizeof(float));
  if (first == 0 || rows == 0) return -11;
  memset(first, 1, 100);
  halide_free(user_context, first);
  box_closure closure = {in, rows};
  const int code = halide_do_par_for(user_context, box_row, 0, 6, (uint8_t*)&closure);
  for (int y = 0; y < 6 && code == 0; ++y) {
    for (int x = 0; x < 8; ++x) {
      for (int c = 0; c < 3; ++c) *at(out, c, x, y, 0) = rows[y * 24 + x * 3 + c];
    }
  }
  halide_free(user_context, rows);
  return code;
}

int hand_scale(void* user_context, frit_buffer* in, frit_buffer* w, frit_buffer* out) {
  (void)user_context;
  const float* const scale = (const float*)(void*)w->host;
  if ((uintptr_t)scale % 64 != 0) return -24;
  for (int i = 0; i < 3 * 6 * 8; ++i) {
    ((float*)(void*)out->host)[i] = ((const float*)(void*)in->host)[i] * scale[i % 3];
  }
  return 0;
}

/* in: c, x, y, n; out: x, y, c, n. */
int hand_copy(void* user_context, frit_buffer* in, frit_buffer* out) {
  (void)user_context;
  for (int c = 0; c < 3; ++c) {
    for (int y = 0; y < 6; ++y) {
      for (int x = 0; x < 8; ++x) *at(out, x, y, c, 0) = *at(in, c, x, y, 0);
    }
  }
  return 0;
}
