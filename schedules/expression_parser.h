// Expressions and directive arguments from tokens, by precedence climbing.
//
// Depth is bounded (kMaxDepth), so that no input can exhaust the stack.
#pragma once

#include <optional>
#include <string>

#include "schedules/lexer.h"

namespace frit {

inline constexpr int kMaxExpressionDepth = 100;

/// Reads the tokens of one line; the first fault is kept and stops the reading.
class TokenReader {
 public:
  TokenReader(const ScheduleAst& ast, const std::vector<Token>& tokens)
      : ast_(ast), tokens_(tokens) {}

  const Token& peek(std::size_t ahead = 0) const;
  Token take();
  bool at_end() const { return peek().kind == Token::Kind::kEnd; }
  bool is_symbol(const char* text) const;
  bool is_name(const char* text) const;
  /// Takes the symbol (or the name) if it is next.
  bool accept(const char* text);
  /// Takes the symbol or sets a fault that says `where`.
  bool expect(const char* symbol, const std::string& where);
  /// A name, or "" and a fault that says what was wanted.
  std::string expect_name(const std::string& wanted, Span* span = nullptr);

  bool failed() const { return fault_.has_value(); }
  const Diagnostic& fault() const { return *fault_; }
  void fail_at(const Span& span, const std::string& message,
               const std::string& code = "sched-syntax");

 private:
  const ScheduleAst& ast_;
  const std::vector<Token>& tokens_;
  std::size_t next_ = 0;
  std::optional<Diagnostic> fault_;
};

/// On a fault of `reader` the result is meaningless.
Expression parse_expression(TokenReader& reader);
/// A directive's argument: an expression, a list {a, b}, or acc.update(0).
Expression parse_argument(TokenReader& reader);
/// A number, a name or an expression in parentheses (what follows / and % in `pack`).
Expression parse_primary(TokenReader& reader);

}  // namespace frit
