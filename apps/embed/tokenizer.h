// Text to the numbers that BERT (uncased) reads: words in lower case without accents, cut into the
// longest pieces that the vocabulary has ("embedding" -> "em", "##bed", "##ding").
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace embed {

/// The words of `text`, UTF-8: what stands between spaces, punctuation marks and ideographs; each
/// of the latter two is a word of its own. Control characters are dropped.
std::vector<std::string> words_of(std::string_view text);

class Tokenizer {
 public:
  /// One piece a line, numbered from 0.
  explicit Tokenizer(std::string_view vocabulary);

  /// "" or what the vocabulary lacks.
  const std::string& fault() const { return fault_; }

  /// [CLS] pieces… [SEP], at most `most` (>= 2): further pieces are left out. A word that cannot be
  /// cut into pieces, or is longer than 100 characters, is one [UNK].
  std::vector<std::int64_t> tokens(std::string_view text, std::size_t most) const;

 private:
  void add_word(const std::string& word, std::vector<std::int64_t>& tokens) const;

  std::unordered_map<std::string, std::int64_t> numbers_;
  std::int64_t open_ = 0, close_ = 0, unknown_ = 0;
  std::string fault_;
};

}  // namespace embed
