#include "schedules/expression.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace frit {
namespace {

using Kind = Expression::Kind;
constexpr std::int64_t kMaxDivisorLimit = 1 << 20;  // bounds the search of largest_divisor

// Evaluation of one expression tree; the depth is bounded by the parser.
class Evaluator {
 public:
  Evaluator(const ScheduleAst& ast, const Facts& names) : ast_(ast), names_(names) {}

  Result<std::int64_t> value(const Expression& e) const {
    switch (e.kind) {
      case Kind::kNumber:
        return e.number;
      case Kind::kName:
        return name(e);
      case Kind::kUnary:
        return unary(e);
      case Kind::kBinary:
        return binary(e);
      case Kind::kTernary: {
        const auto condition = value(e.operands[0]);
        if (!condition) return condition;
        return value(e.operands[*condition != 0 ? 1 : 2]);
      }
      case Kind::kCall:
        return call(e);
      case Kind::kList:
        break;
    }
    return fail(error_at(ast_, e.span, "sched-syntax",
                         "a number is wanted here, not a list; write one number"));
  }

 private:
  Result<std::int64_t> arithmetic(const Expression& e, const std::string& what) const {
    return fail(error_at(ast_, e.span, "sched-arithmetic", what));
  }

  Result<std::int64_t> name(const Expression& e) const {
    if (const std::int64_t* fact = find_fact(names_, e.text)) return *fact;
    Diagnostic unknown = error_at(ast_, e.span, "sched-name",
                                  fmt::format("no fact, param or let is named '{}'", e.text));
    std::string known;
    for (const auto& [key, fact] : names_) known += (known.empty() ? "" : ", ") + key;
    unknown.notes.push_back("known here: " + (known.empty() ? std::string("nothing") : known));
    return fail(std::move(unknown));
  }

  Result<std::int64_t> unary(const Expression& e) const {
    const auto operand = value(e.operands[0]);
    if (!operand) return operand;
    if (e.text == "not") return *operand == 0 ? 1 : 0;
    std::int64_t negated = 0;
    if (__builtin_sub_overflow(std::int64_t{0}, *operand, &negated)) {
      return arithmetic(e, fmt::format("-({}) overflows 64 bits", *operand));
    }
    return negated;
  }

  Result<std::int64_t> binary(const Expression& e) const {
    const auto a = value(e.operands[0]);
    if (!a) return a;
    if (e.text == "and" && *a == 0) return 0;
    if (e.text == "or" && *a != 0) return 1;
    const auto b = value(e.operands[1]);
    if (!b) return b;
    if (e.text == "and" || e.text == "or") return *b != 0 ? 1 : 0;
    if (e.text == "==") return *a == *b ? 1 : 0;
    if (e.text == "!=") return *a != *b ? 1 : 0;
    if (e.text == "<") return *a < *b ? 1 : 0;
    if (e.text == "<=") return *a <= *b ? 1 : 0;
    if (e.text == ">") return *a > *b ? 1 : 0;
    if (e.text == ">=") return *a >= *b ? 1 : 0;
    return arithmetic(e, e.text.front(), *a, *b);
  }

  Result<std::int64_t> arithmetic(const Expression& e, char operation, std::int64_t a,
                                  std::int64_t b) const {
    std::int64_t result = 0;
    bool overflow = false;
    switch (operation) {
      case '+':
        overflow = __builtin_add_overflow(a, b, &result);
        break;
      case '-':
        overflow = __builtin_sub_overflow(a, b, &result);
        break;
      case '*':
        overflow = __builtin_mul_overflow(a, b, &result);
        break;
      default:
        return divide(e, operation, a, b);
    }
    if (overflow) {
      return arithmetic(e, fmt::format("{} {} {} overflows 64 bits", a, operation, b));
    }
    return result;
  }

  Result<std::int64_t> divide(const Expression& e, char operation, std::int64_t a,
                              std::int64_t b) const {
    if (b == 0) {
      return arithmetic(
          e, fmt::format("{} {} 0: '{}' is 0 here", a, operation, to_text(e.operands.back())));
    }
    if (b == -1) {
      return operation == '%' ? Result<std::int64_t>(0) : arithmetic(e, '-', 0, a);
    }
    std::int64_t quotient = a / b;
    if (a % b != 0 && (a < 0) != (b < 0)) --quotient;
    return operation == '/' ? quotient : a - quotient * b;
  }

  Result<std::int64_t> call(const Expression& e) const {
    if (e.text == "known" && e.operands.size() == 1 && e.operands[0].kind == Kind::kName) {
      return find_fact(names_, e.operands[0].text) != nullptr ? 1 : 0;
    }
    std::vector<std::int64_t> v;
    for (const Expression& operand : e.operands) {
      const auto one = value(operand);
      if (!one) return one;
      v.push_back(*one);
    }
    const bool two = v.size() == 2;
    if (e.text == "min" && !v.empty()) return *std::min_element(v.begin(), v.end());
    if (e.text == "max" && !v.empty()) return *std::max_element(v.begin(), v.end());
    if (e.text == "ceil_div" && two) return ceil_div(e, v[0], v[1]);
    if (e.text == "round_up" && two) {
      const auto blocks = ceil_div(e, v[0], v[1]);
      return blocks ? arithmetic(e, '*', *blocks, v[1]) : blocks;
    }
    if (e.text == "divides" && two) {
      const auto rest = divide(e, '%', v[1], v[0]);
      return rest ? Result<std::int64_t>(*rest == 0 ? 1 : 0) : rest;
    }
    if (e.text == "largest_divisor" && two) return largest_divisor(e, v[0], v[1]);
    if (e.text == "pow2_floor" && v.size() == 1) {
      if (v[0] < 1) return arithmetic(e, fmt::format("pow2_floor({}) wants at least 1", v[0]));
      std::int64_t power = 1;
      while (power <= v[0] / 2) power *= 2;
      return power;
    }
    return fail(error_at(ast_, e.span, "sched-name",
                         fmt::format("no function {}({} arguments); there are min, max, "
                                     "ceil_div(a,b), round_up(n,m), divides(a,b), "
                                     "largest_divisor(n,limit), pow2_floor(n), known(name)",
                                     e.text, v.size())));
  }

  // ceil(a / b) = -floor(-a / b), without negating a.
  Result<std::int64_t> ceil_div(const Expression& e, std::int64_t a, std::int64_t b) const {
    const auto quotient = divide(e, '/', a, b);
    if (!quotient) return quotient;
    const auto rest = divide(e, '%', a, b);
    return *rest == 0 ? *quotient : *quotient + 1;
  }

  Result<std::int64_t> largest_divisor(const Expression& e, std::int64_t n,
                                       std::int64_t limit) const {
    if (n < 1 || limit < 1) {
      return arithmetic(e, fmt::format("largest_divisor({}, {}) wants both at least 1", n, limit));
    }
    if (limit >= n) return n;
    if (limit > kMaxDivisorLimit) {
      return arithmetic(e, fmt::format("largest_divisor({}, {}) wants a limit of at most {}", n,
                                       limit, kMaxDivisorLimit));
    }
    std::int64_t divisor = limit;
    while (n % divisor != 0) --divisor;
    return divisor;
  }

  const ScheduleAst& ast_;
  const Facts& names_;
};

// Binding strength of operators; a child weaker than its parent needs parentheses.
int strength(const Expression& e) {
  switch (e.kind) {
    case Kind::kTernary:
      return 0;
    case Kind::kBinary:
      if (e.text == "or") return 1;
      if (e.text == "and") return 2;
      if (e.text == "==" || e.text == "!=" || e.text[0] == '<' || e.text[0] == '>') return 4;
      if (e.text == "+" || e.text == "-") return 5;
      return 6;
    case Kind::kUnary:
      return e.text == "not" ? 3 : 7;
    default:
      return 8;
  }
}

std::string wrapped(const Expression& e, int at_least) {
  const std::string text = to_text(e);
  return strength(e) < at_least ? "(" + text + ")" : text;
}

std::string joined(const std::vector<Expression>& list) {
  std::string text;
  for (const Expression& e : list) text += (text.empty() ? "" : ", ") + to_text(e);
  return text;
}

}  // namespace

Result<std::int64_t> evaluate(const ScheduleAst& ast, const Expression& expression,
                              const Facts& names) {
  return Evaluator(ast, names).value(expression);
}

bool holds(const ScheduleAst& ast, const Expression& expression, const Facts& names) {
  const auto value = evaluate(ast, expression, names);
  return value && *value != 0;
}

std::string to_text(const Expression& e) {
  const int own = strength(e);
  switch (e.kind) {
    case Kind::kNumber:
      return std::to_string(e.number);
    case Kind::kName:
      return e.text;
    case Kind::kUnary:
      return (e.text == "not" ? "not " : e.text) + wrapped(e.operands[0], own);
    case Kind::kBinary: {
      // Comparisons do not chain, so both sides of one must bind tighter.
      const int left = own == 4 ? 5 : own;
      return wrapped(e.operands[0], left) + " " + e.text + " " + wrapped(e.operands[1], own + 1);
    }
    case Kind::kTernary:
      return wrapped(e.operands[0], 1) + " ? " + wrapped(e.operands[1], 1) + " : " +
             wrapped(e.operands[2], 0);
    case Kind::kCall:
      return e.text + "(" + joined(e.operands) + ")";
    case Kind::kList:
      return "{" + joined(e.operands) + "}";
  }
  return "";
}

std::string to_operand_text(const Expression& e) { return wrapped(e, 8); }

const std::int64_t* find_fact(const Facts& names, const std::string& name) {
  static constexpr std::int64_t kYes = 1, kNo = 0;
  if (const auto found = names.find(name); found != names.end()) return &found->second;
  const std::size_t dot = name.rfind('.');
  if (dot == std::string::npos) return nullptr;
  const auto family = names.find(name.substr(0, dot));
  const auto feature = names.find(name.substr(dot + 1));
  if (family == names.end() || feature == names.end()) return nullptr;
  return family->second != 0 && feature->second != 0 ? &kYes : &kNo;
}

}  // namespace frit
