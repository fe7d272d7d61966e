// Text from files that others wrote, as it may be shown: what a terminal or an editor would obey or
// hide (control bytes, marks that turn the direction of writing, characters of no width) is spelled
// out. So two names that look the same are the same.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace frit {

/// Bytes of the UTF-8 character at `at`; 0 where there is none, or none to be shown as it is.
std::size_t printable_length(std::string_view text, std::size_t at);

/// Such bytes as \xNN; line feeds and tabs stay.
std::string printable(std::string_view text);

/// "text", with such bytes as \xNN, line feeds and tabs among them, and a backslash before each
/// quote and backslash.
std::string in_quotes(std::string_view text);

/// The same for JSON text, where they stand in strings only: \uNNNN, which reads back as it was.
std::string printable_json(std::string_view json);

}  // namespace frit
