#include "schedules/expression_parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

namespace frit {

const Token& TokenReader::peek(std::size_t ahead) const {
  return tokens_[std::min(next_ + ahead, tokens_.size() - 1)];
}

Token TokenReader::take() {
  const Token& token = peek();
  if (next_ + 1 < tokens_.size()) ++next_;
  return token;
}

bool TokenReader::is_symbol(const char* text) const {
  return peek().kind == Token::Kind::kSymbol && peek().text == text;
}

bool TokenReader::is_name(const char* text) const {
  return peek().kind == Token::Kind::kName && peek().text == text;
}

bool TokenReader::accept(const char* text) {
  if (!is_symbol(text) && !is_name(text)) return false;
  take();
  return true;
}

bool TokenReader::expect(const char* symbol, const std::string& where) {
  if (accept(symbol)) return true;
  fail_at(peek().span, fmt::format("expected '{}' {}, found {}", symbol, where, shown(peek())));
  return false;
}

std::string TokenReader::expect_name(const std::string& wanted, Span* span) {
  if (peek().kind != Token::Kind::kName) {
    fail_at(peek().span, fmt::format("expected {}, found {}", wanted, shown(peek())));
    return "";
  }
  if (span != nullptr) *span = peek().span;
  return take().text;
}

void TokenReader::fail_at(const Span& span, const std::string& message, const std::string& code) {
  if (!fault_) fault_ = error_at(ast_, span, code, message);
}

namespace {

using Kind = Expression::Kind;

Span covering(const Span& first, const Span& last) {
  return {first.line, first.column, last.column + last.length - first.column};
}

// Recursive descent. `level_` counts the nesting of calls on the stack, `depth` that of the tree
// (a long a+b+c+… is deep without nesting).
class ExpressionParser {
 public:
  explicit ExpressionParser(TokenReader& reader) : reader_(reader) {}

  Expression ternary() {
    const Nesting nesting(*this);
    if (reader_.failed()) return {};
    Expression condition = binary(1);
    if (!reader_.is_symbol("?")) return condition;
    reader_.take();
    Expression yes = ternary();
    reader_.expect(":", "between the two values of '?'");
    Expression no = ternary();
    return node(Kind::kTernary, "?", {std::move(condition), std::move(yes), std::move(no)});
  }

  Expression argument() {
    const Nesting nesting(*this);
    if (reader_.failed()) return {};
    if (!reader_.is_symbol("{")) return ternary();
    const Span open = reader_.take().span;
    std::vector<Expression> elements;
    while (!reader_.failed() && !reader_.is_symbol("}")) {
      elements.push_back(argument());
      if (!reader_.is_symbol("}")) reader_.expect(",", "between the elements of a list");
    }
    const Span close = reader_.peek().span;
    reader_.accept("}");
    Expression list = node(Kind::kList, "", std::move(elements));
    list.span = covering(open, close);
    return list;
  }

  Expression primary() {
    const Nesting nesting(*this);
    if (reader_.failed()) return {};
    const Token token = reader_.peek();
    if (token.kind == Token::Kind::kNumber) return number();
    if (token.kind == Token::Kind::kName) return name_or_call();
    if (reader_.accept("(")) {
      Expression inner = ternary();
      reader_.expect(")", "to close '('");
      return inner;
    }
    reader_.fail_at(token.span, "expected a number, a name or '(', found " + shown(token));
    return {};
  }

 private:
  // Counts how deep the parser stands; refuses to go deeper than kMaxExpressionDepth.
  struct Nesting {
    explicit Nesting(ExpressionParser& parser) : owner(parser) {
      if (++owner.level_ > kMaxExpressionDepth) owner.too_deep(owner.reader_.peek().span);
    }
    ~Nesting() { --owner.level_; }
    Nesting(const Nesting&) = delete;
    Nesting& operator=(const Nesting&) = delete;
    ExpressionParser& owner;
  };

  void too_deep(const Span& span) {
    reader_.fail_at(span, fmt::format("the expression is nested deeper than {} levels; name a part "
                                      "of it with 'let'",
                                      kMaxExpressionDepth));
  }

  Expression node(Kind kind, std::string text, std::vector<Expression> operands) {
    Expression e;
    e.kind = kind;
    e.text = std::move(text);
    for (const Expression& operand : operands) e.depth = std::max(e.depth, operand.depth + 1);
    if (!operands.empty()) e.span = covering(operands.front().span, operands.back().span);
    e.operands = std::move(operands);
    if (e.depth > kMaxExpressionDepth) too_deep(e.span);
    return e;
  }

  static int strength(const Token& token) {
    const std::string& t = token.text;
    if (token.kind == Token::Kind::kName) return t == "or" ? 1 : t == "and" ? 2 : 0;
    if (token.kind != Token::Kind::kSymbol) return 0;
    if (t == "==" || t == "!=" || t == "<" || t == "<=" || t == ">" || t == ">=") return 4;
    if (t == "+" || t == "-") return 5;
    if (t == "*" || t == "/" || t == "%") return 6;
    return 0;
  }

  Expression binary(int weakest) {
    const Nesting nesting(*this);
    if (reader_.failed()) return {};
    Expression left = weakest <= 3 && reader_.is_name("not") ? negation() : sign();
    while (!reader_.failed()) {
      const Token operation = reader_.peek();
      const int own = strength(operation);
      if (own < weakest || own == 0) {
        refuse_foreign(operation);
        break;
      }
      reader_.take();
      Expression right = binary(own + 1);
      if (own == 4 && strength(reader_.peek()) == 4) {
        reader_.fail_at(reader_.peek().span, "comparisons do not chain; join two with 'and'");
      }
      left = node(Kind::kBinary, operation.text, {std::move(left), std::move(right)});
    }
    return left;
  }

  void refuse_foreign(const Token& token) {
    if (token.kind != Token::Kind::kSymbol) return;
    if (token.text == "&&") reader_.fail_at(token.span, "write 'and' for '&&'");
    if (token.text == "||") reader_.fail_at(token.span, "write 'or' for '||'");
    if (token.text == "!") reader_.fail_at(token.span, "write 'not' for '!'");
  }

  Expression negation() {
    const Token operation = reader_.take();
    Expression e = node(Kind::kUnary, "not", {binary(3)});
    e.span = covering(operation.span, e.span);
    return e;
  }

  Expression sign() {
    const Nesting nesting(*this);
    if (reader_.failed()) return {};
    if (!reader_.is_symbol("-")) return primary();
    const Token operation = reader_.take();
    Expression e = node(Kind::kUnary, "-", {sign()});
    e.span = covering(operation.span, e.span);
    return e;
  }

  Expression number() {
    const Token token = reader_.take();
    Expression e;
    e.span = token.span;
    const char* end = token.text.data() + token.text.size();
    const auto read = std::from_chars(token.text.data(), end, e.number);
    if (read.ec == std::errc::result_out_of_range) {
      reader_.fail_at(token.span, "the number does not fit in 64 bits; write a smaller one");
    } else if (read.ptr != end) {
      reader_.fail_at(token.span, shown(token) + " is not a decimal integer; write digits only");
    }
    return e;
  }

  Expression name_or_call() {
    Expression e;
    e.kind = Kind::kName;
    const Token first = reader_.take();
    Span last = first.span;
    e.text = first.text;
    while (reader_.is_symbol(".") || reader_.is_symbol("::")) {
      const std::string join = reader_.take().text;
      e.text += join + reader_.expect_name("a name after '" + join + "'", &last);
    }
    e.span = covering(first.span, last);
    if (!reader_.accept("(")) return e;
    e.kind = Kind::kCall;
    while (!reader_.failed() && !reader_.is_symbol(")")) {
      e.operands.push_back(ternary());
      e.depth = std::max(e.depth, e.operands.back().depth + 1);
      if (!reader_.is_symbol(")")) reader_.expect(",", "between arguments");
    }
    reader_.accept(")");
    return e;
  }

  TokenReader& reader_;
  int level_ = 0;
};

}  // namespace

Expression parse_expression(TokenReader& reader) { return ExpressionParser(reader).ternary(); }
Expression parse_argument(TokenReader& reader) { return ExpressionParser(reader).argument(); }
Expression parse_primary(TokenReader& reader) { return ExpressionParser(reader).primary(); }

}  // namespace frit
