/* A package's constants in a file of their own: its header, and whether given bytes are that file.
 *
 * The file is a header of 64 bytes and the content, which begins at a multiple of 64 wherever the
 * file's first byte lies at one (as it does in any mapping). All numbers are little-endian. */
#ifndef FRIT_WEIGHTS_H
#define FRIT_WEIGHTS_H

#include <stddef.h>
#include <stdint.h>

#define FRIT_WEIGHTS_MAGIC "frit.wts" /* without its final zero */
#define FRIT_WEIGHTS_FORMAT 1

#ifdef __cplusplus
extern "C" {
#endif

typedef struct frit_weights_header {
  char magic[8];
  uint32_t format;
  uint32_t header_bytes; /* of this struct: where the content begins */
  uint64_t content_bytes;
  uint64_t identity[2]; /* of the package: a hash of its constants and where each one lies */
  uint64_t checksum;    /* frit_checksum of the content */
  uint64_t unused[2];   /* 0 */
} frit_weights_header;

/* Returns 0, or the code of error.h that says how [weights, weights + bytes) differs from the file
 * that `expected` is the header of. Bytes past the file's end do not matter. Reads no byte outside;
 * with `trusted`, none of the content. */
int frit_check_weights(const void* weights, size_t bytes, const frit_weights_header* expected,
                       int trusted);

#ifdef __cplusplus
}
#endif

#endif
