// UTF-8, and what the tokenizer asks of characters beyond ASCII (unicode_tables.cpp).
#pragma once

#include <string>
#include <string_view>

namespace embed {

/// Code points of UTF-8; each byte that is part of none gives U+FFFD.
std::u32string decode(std::string_view text);
/// Appends `c` as UTF-8.
void encode(char32_t c, std::string& text);

/// Categories of Unicode, for code points from 128 on.
bool is_mark(char32_t c);              ///< Mn
bool is_wide_punctuation(char32_t c);  ///< P
bool is_wide_control(char32_t c);      ///< Cc, Cf, Co
bool is_wide_space(char32_t c);        ///< Zs

/// Without its accents and in lower case, where the vocabulary has that; else `c`.
char32_t folded(char32_t c);

}  // namespace embed
