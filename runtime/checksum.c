/* Four lanes hide the latency of the multiplication. */
#include "checksum.h"

#include <string.h>

static uint64_t mix(uint64_t value) {
  value ^= value >> 32;
  value *= UINT64_C(0x9E3779B97F4A7C15);
  return value ^ (value >> 32);
}

uint64_t frit_checksum(const void* content, size_t bytes) {
  const uint8_t* at = (const uint8_t*)content;
  uint64_t lane[4] = {mix(1), mix(2), mix(3), mix(4)};
  uint64_t result = mix(bytes);
  for (size_t done = 0; done < bytes; done += 32, at += 32) {
    uint64_t word[4];
    memcpy(word, at, sizeof word);
    for (int j = 0; j < 4; ++j) lane[j] = mix(lane[j] ^ word[j]);
  }
  for (int j = 0; j < 4; ++j) result = mix(result ^ lane[j]);
  return result;
}
