// One line of a schedule file as tokens. Never fails on its own: an unknown character is a token.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "schedules/ast.h"

namespace frit {

struct Token {
  enum class Kind : std::uint8_t { kName, kNumber, kSymbol, kUnknown, kEnd };
  Kind kind = Kind::kEnd;
  std::string text;
  Span span;
};

struct LexedLine {
  std::vector<Token> tokens;  ///< ends with kEnd
  std::string comment;        ///< without '#', trimmed
  bool has_comment = false;
};

LexedLine lex_line(std::string_view text, int line);

/// Printable form of a token for messages: "'foo'", "byte 0x00", "the end of the line".
std::string shown(const Token& token);

}  // namespace frit
