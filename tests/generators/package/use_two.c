/* Two models of one program at once, each with threads of its own: both give the bits that they
 * give alone. Built with -DREC_OUT=… -DCLS_OUT=…, the names of the outputs. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ocr_cls.h"
#include "ocr_rec.h"

#define CAT_(a, b, c) a##b##c
#define CAT(a, b, c) CAT_(a, b, c)
#define REC_BYTES CAT(ocr_rec_, REC_OUT, _BYTES)
#define CLS_BYTES CAT(ocr_cls_, CLS_OUT, _BYTES)
enum { RUNS = 40 };

static float rec_x[ocr_rec_x_BYTES / 4], cls_x[ocr_cls_x_BYTES / 4];
static float rec_alone[REC_BYTES / 4], cls_alone[CLS_BYTES / 4];
static float rec_now[REC_BYTES / 4], cls_now[CLS_BYTES / 4];
static ocr_rec_context rec;
static ocr_cls_context cls;

static int run_rec(float* out) {
  ocr_rec_io io;
  memset(&io, 0, sizeof io);
  io.x = rec_x;
  io.REC_OUT = out;
  return ocr_rec_run(&rec, &io);
}

static int run_cls(float* out) {
  ocr_cls_io io;
  memset(&io, 0, sizeof io);
  io.x = cls_x;
  io.CLS_OUT = out;
  return ocr_cls_run(&cls, &io);
}

static int wrong_rec, wrong_cls;

static void* many_rec(void* none) {
  for (int i = 0; i < RUNS; ++i) {
    memset(rec_now, 0, sizeof rec_now);
    wrong_rec += run_rec(rec_now) != 0 || memcmp(rec_now, rec_alone, sizeof rec_now) != 0;
  }
  return none;
}

static void* many_cls(void* none) {
  for (int i = 0; i < 10 * RUNS; ++i) {
    memset(cls_now, 0, sizeof cls_now);
    wrong_cls += run_cls(cls_now) != 0 || memcmp(cls_now, cls_alone, sizeof cls_now) != 0;
  }
  return none;
}

int main(void) {
  ocr_rec_options of_rec;
  ocr_cls_options of_cls;
  pthread_t one, other;
  size_t i;
  memset(&of_rec, 0, sizeof of_rec);
  memset(&of_cls, 0, sizeof of_cls);
  for (i = 0; i < sizeof rec_x / 4; ++i) rec_x[i] = (float)(i * 7919 % 2003) / 1001.0f - 1.0f;
  for (i = 0; i < sizeof cls_x / 4; ++i) cls_x[i] = (float)(i * 104729 % 1999) / 999.0f - 1.0f;
  of_rec.size = sizeof of_rec;
  of_rec.threads = ocr_rec_THREADS_MAX;
  of_rec.arena_bytes = ocr_rec_arena_bytes(of_rec.threads);
  of_rec.arena = aligned_alloc(64, (of_rec.arena_bytes + 63) / 64 * 64);
  of_cls.size = sizeof of_cls;
  of_cls.threads = ocr_cls_THREADS_MAX;
  of_cls.arena_bytes = ocr_cls_arena_bytes(of_cls.threads);
  of_cls.arena = aligned_alloc(64, (of_cls.arena_bytes + 63) / 64 * 64);
  if (ocr_rec_init(&rec, &of_rec) != 0 || ocr_cls_init(&cls, &of_cls) != 0) return 2;
  if (run_rec(rec_alone) != 0 || run_cls(cls_alone) != 0) return 3;
  pthread_create(&one, 0, many_rec, 0);
  pthread_create(&other, 0, many_cls, 0);
  pthread_join(one, 0);
  pthread_join(other, 0);
  ocr_rec_release(&rec);
  ocr_cls_release(&cls);
  free(of_rec.arena);
  free(of_cls.arena);
  printf("%d and %d runs with other bits than alone\n", wrong_rec, wrong_cls);
  return wrong_rec != 0 || wrong_cls != 0;
}
