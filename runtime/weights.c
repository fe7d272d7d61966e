#include "weights.h"

#include <string.h>

#include "checksum.h"
#include "error.h"
#include "worker.h"

typedef char
    frit_weights_header_keeps_alignment[sizeof(frit_weights_header) == FRIT_ALIGNMENT ? 1 : -1];

/* memcmp would be one more name to be asked of libc. */
static int same(const void* a, const void* b, size_t bytes) {
  const uint8_t* const x = (const uint8_t*)a;
  const uint8_t* const y = (const uint8_t*)b;
  for (size_t i = 0; i < bytes; ++i) {
    if (x[i] != y[i]) return 0;
  }
  return 1;
}

int frit_check_weights(const void* weights, size_t bytes, const frit_weights_header* expected,
                       int trusted) {
  frit_weights_header header;
  if (weights == 0) return FRIT_NO_WEIGHTS;
  if ((uintptr_t)weights % FRIT_ALIGNMENT != 0) return FRIT_WEIGHTS_ALIGNMENT;
  if (bytes < sizeof header) return FRIT_WEIGHTS_SIZE;
  memcpy(&header, weights, sizeof header);
  if (!same(header.magic, expected->magic, sizeof header.magic)) return FRIT_WEIGHTS_KIND;
  if (header.format != expected->format) return FRIT_WEIGHTS_VERSION;
  /* Before the sizes: a file of another package is named as such, longer or shorter. */
  if (!same(header.identity, expected->identity, sizeof header.identity)) {
    return FRIT_WEIGHTS_PACKAGE;
  }
  if (!same(&header, expected, sizeof header)) return FRIT_WEIGHTS_DAMAGED;
  if (bytes - sizeof header < expected->content_bytes) return FRIT_WEIGHTS_SIZE;
  if (trusted) return FRIT_OK;
  const uint8_t* const content = (const uint8_t*)weights + sizeof header;
  return frit_checksum(content, (size_t)expected->content_bytes) == expected->checksum
             ? FRIT_OK
             : FRIT_WEIGHTS_DAMAGED;
}
