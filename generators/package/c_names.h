// C identifiers and comments from names that a model may spell in any way.
#pragma once

#include <string>
#include <vector>

namespace frit {

/// An identifier of at most 56 characters that is no C, C++ or common macro name and does not
/// start with an underscore: other characters become '_', a long name ends in a hash of the whole.
/// Empty when `name` holds no letter or digit at all.
std::string c_identifier(const std::string& name);

/// One identifier for each name, all different: `fallback` + position where c_identifier is empty,
/// and _2, _3 … where two would be the same. Never one of `taken`.
std::vector<std::string> c_identifiers(const std::vector<std::string>& names,
                                       const std::string& fallback,
                                       const std::vector<std::string>& taken);

/// Text that is safe inside a C comment: comment marks broken up, bytes of invalid UTF-8 and of
/// characters that are not to be shown (ops/base/printable.h) as '?', at most `most` bytes.
std::string comment_text(const std::string& text, std::size_t most = 200);

}  // namespace frit
