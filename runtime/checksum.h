/* The checksum of a weights file's content (weights.h): 64 bits, several GB/s in plain C.
 *
 * Four lanes take the content's 64-bit little-endian words in turn, word i by lane i % 4:
 *     lane = mix(lane ^ word)
 *     mix(v): v ^= v >> 32; v *= 0x9E3779B97F4A7C15 (mod 2^64); v ^= v >> 32
 * from lane j = mix(j + 1); the result starts as mix(bytes) and takes the four lanes in order in
 * the same way. mix is one-to-one, so a change inside one word, such as a flipped bit, changes the
 * result for certain; another change is missed with a chance of about 2^-64. Found are accidents,
 * not forgeries. */
#ifndef FRIT_CHECKSUM_H
#define FRIT_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* `bytes` is a multiple of 32; the content may lie anywhere. */
uint64_t frit_checksum(const void* content, size_t bytes);

#ifdef __cplusplus
}
#endif

#endif
