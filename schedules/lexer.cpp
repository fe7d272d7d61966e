#include "schedules/lexer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace frit {
namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r'; }

std::string trimmed(std::string_view text) {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return std::string(text);
}

std::size_t symbol_length(std::string_view rest) {
  static constexpr std::array<std::string_view, 7> kTwo = {
      "==", "!=", "<=", ">=", "::", "&&", "||"};
  for (const std::string_view two : kTwo) {
    if (rest.substr(0, 2) == two) return 2;
  }
  static constexpr std::string_view kOne = "+-*/%<>=()[]{},.?:!;";
  return kOne.find(rest.front()) != std::string_view::npos ? 1 : 0;
}

std::size_t run_length(std::string_view rest, bool (*accepts)(char)) {
  const auto end = std::find_if_not(rest.begin(), rest.end(), accepts);
  return static_cast<std::size_t>(end - rest.begin());
}

}  // namespace

LexedLine lex_line(std::string_view text, int line) {
  LexedLine lexed;
  std::size_t at = 0;
  const auto add = [&](Token::Kind kind, std::size_t length) {
    lexed.tokens.push_back({kind,
                            std::string(text.substr(at, length)),
                            {line, static_cast<int>(at) + 1, static_cast<int>(length)}});
    at += length;
  };
  while (at < text.size()) {
    const std::string_view rest = text.substr(at);
    if (is_space(rest.front())) {
      ++at;
    } else if (rest.front() == '#') {
      lexed.comment = trimmed(rest.substr(1));
      lexed.has_comment = true;
      break;
    } else if (is_letter(rest.front())) {
      add(Token::Kind::kName, run_length(rest, [](char c) { return is_letter(c) || is_digit(c); }));
    } else if (is_digit(rest.front())) {
      // Letters stay in the token, so that "12abc" is one bad number and not two tokens.
      add(Token::Kind::kNumber,
          run_length(rest, [](char c) { return is_letter(c) || is_digit(c); }));
    } else if (const std::size_t length = symbol_length(rest); length > 0) {
      add(Token::Kind::kSymbol, length);
    } else {
      add(Token::Kind::kUnknown, 1);
    }
  }
  lexed.tokens.push_back({Token::Kind::kEnd, "", {line, static_cast<int>(at) + 1, 1}});
  return lexed;
}

std::string shown(const Token& token) {
  if (token.kind == Token::Kind::kEnd) return "the end of the line";
  if (token.kind == Token::Kind::kUnknown) {
    const auto byte = static_cast<unsigned char>(token.text.front());
    if (byte < 0x20 || byte >= 0x7f) return fmt::format("byte 0x{:02x}", byte);
  }
  return "'" + token.text + "'";
}

}  // namespace frit
