// "did you mean": the word that a person most likely wanted to write.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace frit {

/// The first of `words` at the fewest edits (letters changed, added, left out) from `written`; ""
/// where all are three or more away, or two from a word of three letters.
std::string nearest_word(std::string_view written, const std::vector<std::string_view>& words);

}  // namespace frit
