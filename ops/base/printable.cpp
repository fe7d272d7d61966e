#include "ops/base/printable.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace frit {
namespace {

struct Character {
  char32_t code = 0;
  std::size_t length = 0;  ///< 0: no UTF-8
};

Character character_at(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned lead = byte(at);
  if (lead < 0x80) return {lead, 1};
  const std::size_t length = lead < 0xC2   ? 0
                             : lead < 0xE0 ? 2
                             : lead < 0xF0 ? 3
                             : lead < 0xF5 ? 4
                                           : 0;
  if (length == 0 || at + length > text.size()) return {};
  char32_t code = lead & (0x7FU >> length);
  for (std::size_t i = at + 1; i < at + length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return {};
    code = code << 6 | (byte(i) & 0x3FU);
  }
  static constexpr char32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = code >= 0xD800 && code < 0xE000;
  if (code < kLeast[length] || code > 0x10FFFF || surrogate) return {};
  return {code, length};
}

/// Unicode's categories Cc, Cf, Zl and Zp, and fillers that draw nothing.
bool is_hidden(char32_t code) {
  struct Range {
    char32_t first, last;
  };
  static constexpr Range kHidden[] = {
      {0x00, 0x1F},       {0x7F, 0x9F},       {0xAD, 0xAD},       {0x034F, 0x034F},
      {0x0600, 0x0605},   {0x061C, 0x061C},   {0x06DD, 0x06DD},   {0x070F, 0x070F},
      {0x0890, 0x0891},   {0x08E2, 0x08E2},   {0x115F, 0x1160},   {0x17B4, 0x17B5},
      {0x180B, 0x180F},   {0x200B, 0x200F},   {0x2028, 0x202E},   {0x2060, 0x206F},
      {0x3164, 0x3164},   {0xFEFF, 0xFEFF},   {0xFFA0, 0xFFA0},   {0xFFF9, 0xFFFB},
      {0x110BD, 0x110BD}, {0x110CD, 0x110CD}, {0x13430, 0x1343F}, {0x1BCA0, 0x1BCA3},
      {0x1D173, 0x1D17A}, {0xE0000, 0xE0FFF}};
  return std::any_of(std::begin(kHidden), std::end(kHidden),
                     [&](const Range& range) { return code >= range.first && code <= range.last; });
}

}  // namespace

std::size_t printable_length(std::string_view text, std::size_t at) {
  const Character character = character_at(text, at);
  return is_hidden(character.code) ? 0 : character.length;
}

std::string printable(std::string_view text) {
  std::string shown;
  for (std::size_t at = 0; at < text.size();) {
    const bool plain = text[at] == '\n' || text[at] == '\t';
    const std::size_t length = plain ? 1 : printable_length(text, at);
    if (length > 0) {
      shown.append(text, at, length);
      at += length;
    } else {
      shown += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[at++]));
    }
  }
  return shown;
}

std::string in_quotes(std::string_view text) {
  std::string quoted = "\"";
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = printable_length(text, at);
    if (length == 0) {
      quoted += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[at++]));
      continue;
    }
    if (text[at] == '"' || text[at] == '\\') quoted += '\\';
    quoted.append(text, at, length);
    at += length;
  }
  return quoted + '"';
}

std::string printable_json(std::string_view json) {
  std::string shown;
  for (std::size_t at = 0; at < json.size();) {
    const Character character = character_at(json, at);
    const std::size_t length = std::max<std::size_t>(character.length, 1);
    const char32_t code = character.code;
    if (code < 0x20 || !is_hidden(code)) {
      shown.append(json, at, length);
    } else if (code < 0x10000) {
      shown += fmt::format("\\u{:04x}", static_cast<unsigned>(code));
    } else {
      shown += fmt::format("\\u{:04x}\\u{:04x}", static_cast<unsigned>(0xD7C0 + (code >> 10)),
                           static_cast<unsigned>(0xDC00 + (code & 0x3FF)));
    }
    at += length;
  }
  return shown;
}

}  // namespace frit
