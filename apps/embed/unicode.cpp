#include "apps/embed/unicode.h"

#include <cstddef>
#include <cstdint>

namespace embed {
namespace {

/// Bytes of the sequence that `lead` opens; 0: none.
std::size_t length_of(unsigned char lead) {
  if (lead < 0x80) return 1;
  if (lead >= 0xC2 && lead < 0xE0) return 2;
  if (lead >= 0xE0 && lead < 0xF0) return 3;
  return lead >= 0xF0 && lead < 0xF5 ? 4 : 0;
}

}  // namespace

std::u32string decode(std::string_view text) {
  constexpr char32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  std::u32string points;
  for (std::size_t at = 0; at < text.size();) {
    const auto lead = static_cast<unsigned char>(text[at]);
    const std::size_t length = length_of(lead);
    bool good = length != 0 && at + length <= text.size();
    char32_t point = length < 2 ? lead : lead & (0x7FU >> length);
    for (std::size_t i = 1; good && i < length; ++i) {
      const auto next = static_cast<unsigned char>(text[at + i]);
      good = (next & 0xC0U) == 0x80U;
      point = point << 6U | (next & 0x3FU);
    }
    good = good && point >= kLeast[length] && point < 0x110000 && (point & ~0x7FFU) != 0xD800;
    points.push_back(good ? point : U'\uFFFD');
    at += good ? length : 1;
  }
  return points;
}

void encode(char32_t c, std::string& text) {
  const auto put = [&](char32_t byte) { text.push_back(static_cast<char>(byte)); };
  if (c < 0x80) {
    put(c);
  } else if (c < 0x800) {
    put(0xC0U | c >> 6U);
    put(0x80U | (c & 0x3FU));
  } else if (c < 0x10000) {
    put(0xE0U | c >> 12U);
    put(0x80U | (c >> 6U & 0x3FU));
    put(0x80U | (c & 0x3FU));
  } else {
    put(0xF0U | c >> 18U);
    put(0x80U | (c >> 12U & 0x3FU));
    put(0x80U | (c >> 6U & 0x3FU));
    put(0x80U | (c & 0x3FU));
  }
}

}  // namespace embed
