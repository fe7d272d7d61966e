#include "apps/embed/tokenizer.h"

#include "apps/embed/unicode.h"

namespace embed {
namespace {

constexpr std::size_t kLongestWord = 100;  // characters

bool is_space(char32_t c) {
  return c == U' ' || c == U'\t' || c == U'\n' || c == U'\r' || (c >= 128 && is_wide_space(c));
}

bool is_dropped(char32_t c) {
  return c < 32 || c == 127 || c == U'\uFFFD' || (c >= 128 && is_wide_control(c));
}

bool is_punctuation(char32_t c) {
  if (c >= 128) return is_wide_punctuation(c);
  return (c > 32 && c < 48) || (c > 57 && c < 65) || (c > 90 && c < 97) || (c > 122 && c < 127);
}

bool is_ideograph(char32_t c) {
  constexpr char32_t kRanges[][2] = {{0x4E00, 0x9FFF},   {0x3400, 0x4DBF},   {0x20000, 0x2A6DF},
                                     {0x2A700, 0x2B73F}, {0x2B740, 0x2B81F}, {0x2B820, 0x2CEAF},
                                     {0xF900, 0xFAFF},   {0x2F800, 0x2FA1F}};
  for (const auto& [first, last] : kRanges) {
    if (c >= first && c <= last) return true;
  }
  return false;
}

/// Appends `c` without accents and in lower case; a Hangul syllable as its two or three letters.
void append_folded(char32_t c, std::u32string& word) {
  if (c < 128) {
    word.push_back(c >= U'A' && c <= U'Z' ? c + 32 : c);
  } else if (c >= 0xAC00 && c < 0xD7A4) {
    const char32_t syllable = c - 0xAC00;
    word.push_back(0x1100 + syllable / 588);
    word.push_back(0x1161 + syllable % 588 / 28);
    if (syllable % 28 != 0) word.push_back(0x11A7 + syllable % 28);
  } else if (!is_mark(c)) {
    word.push_back(folded(c));
  }
}

std::string utf8(std::u32string_view points) {
  std::string text;
  for (const char32_t c : points) encode(c, text);
  return text;
}

}  // namespace

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  std::u32string word;
  const auto finish = [&] {
    if (!word.empty()) words.push_back(utf8(word));
    word.clear();
  };
  for (const char32_t c : decode(text)) {
    if (is_space(c)) {
      finish();
    } else if (is_dropped(c)) {
      continue;
    } else if (is_ideograph(c) || is_punctuation(c)) {
      finish();
      append_folded(c, word);
      finish();
    } else {
      append_folded(c, word);
    }
  }
  finish();
  return words;
}

Tokenizer::Tokenizer(std::string_view vocabulary) {
  std::int64_t number = 0;
  while (!vocabulary.empty()) {
    const std::size_t end = vocabulary.find('\n');
    numbers_.emplace(vocabulary.substr(0, end), number++);
    vocabulary.remove_prefix(end == std::string_view::npos ? vocabulary.size() : end + 1);
  }
  const auto special = [&](const char* piece) {
    const auto found = numbers_.find(piece);
    if (found != numbers_.end()) return found->second;
    fault_ = std::string("the vocabulary has no ") + piece;
    return std::int64_t{0};
  };
  open_ = special("[CLS]");
  close_ = special("[SEP]");
  unknown_ = special("[UNK]");
}

std::vector<std::int64_t> Tokenizer::tokens(std::string_view text, std::size_t most) const {
  std::vector<std::int64_t> tokens = {open_};
  for (const std::string& word : words_of(text)) {
    if (tokens.size() >= most) break;
    add_word(word, tokens);
  }
  if (tokens.size() > most - 1) tokens.resize(most - 1);
  tokens.push_back(close_);
  return tokens;
}

void Tokenizer::add_word(const std::string& word, std::vector<std::int64_t>& tokens) const {
  const std::u32string letters = decode(word);
  const std::size_t before = tokens.size();
  std::size_t start = 0;
  while (start < letters.size() && letters.size() <= kLongestWord) {
    std::size_t end = letters.size();
    auto found = numbers_.end();
    for (; end > start; --end) {
      std::string piece = start > 0 ? "##" : "";
      piece += utf8(std::u32string_view(letters).substr(start, end - start));
      found = numbers_.find(piece);
      if (found != numbers_.end()) break;
    }
    if (found == numbers_.end()) break;
    tokens.push_back(found->second);
    start = end;
  }
  if (start == letters.size()) return;
  tokens.resize(before);
  tokens.push_back(unknown_);
}

}  // namespace embed
