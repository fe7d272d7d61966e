/* halide_malloc and halide_free: a stack in the worker's slab of the arena.
 *
 * Blocks are rounded up to FRIT_ALIGNMENT and lie in order of asking. Kernels free a temporary as
 * soon as its last reader is done, which may be before one that was asked for later: such a block
 * is only marked, and its bytes come back when all above it are free. The bytes in use are then
 * those of the nest of allocations in the lowered code, which is how the compiler counts them. */
#include "error.h"
#include "worker.h"

void* halide_malloc(void* user_context, size_t bytes);
void halide_free(void* user_context, void* block);

void* halide_malloc(void* user_context, size_t bytes) {
  frit_worker* const worker = (frit_worker*)user_context;
  const size_t rounded = frit_round_up(bytes);
  if (rounded < bytes || rounded > worker->slab_bytes - worker->used_bytes ||
      worker->blocks == FRIT_MAX_TEMPORARIES) {
    frit_worker_fail(worker, FRIT_SLAB_FULL);
    return 0;
  }
  uint8_t* const block = worker->slab + worker->used_bytes;
  worker->block_start[worker->blocks++] = worker->used_bytes;
  worker->used_bytes += rounded;
  return block;
}

void halide_free(void* user_context, void* block) {
  frit_worker* const worker = (frit_worker*)user_context;
  if (block == 0) return;
  const size_t start = (size_t)((uint8_t*)block - worker->slab);
  /* Empty blocks share a start with the next one: the topmost live one is meant. */
  for (int i = worker->blocks; i-- > 0;) {
    if (worker->block_start[i] == start && !(worker->freed >> i & 1)) {
      worker->freed |= (uint64_t)1 << i;
      break;
    }
  }
  while (worker->blocks > 0 && (worker->freed >> (worker->blocks - 1) & 1)) {
    worker->blocks--;
    worker->freed &= ~((uint64_t)1 << worker->blocks);
    worker->used_bytes = worker->block_start[worker->blocks];
  }
}
