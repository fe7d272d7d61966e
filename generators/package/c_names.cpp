#include "generators/package/c_names.h"

#include <algorithm>
#include <array>
#include <set>

#include "generators/emit/hash.h"
#include "ops/base/printable.h"

namespace frit {
namespace {

constexpr std::size_t kMostCharacters = 56;  // C99 promises 63 for internal names; clashes add some
constexpr std::size_t kHashCharacters = 8;

// Keywords of C99, C11 and C++20, and lower-case names that compilers or headers define as macros.
constexpr std::array kReserved = {"alignas",
                                  "alignof",
                                  "and",
                                  "and_eq",
                                  "asm",
                                  "assert",
                                  "auto",
                                  "bitand",
                                  "bitor",
                                  "bool",
                                  "break",
                                  "case",
                                  "catch",
                                  "char",
                                  "char16_t",
                                  "char32_t",
                                  "char8_t",
                                  "class",
                                  "co_await",
                                  "co_return",
                                  "co_yield",
                                  "compl",
                                  "complex",
                                  "concept",
                                  "const",
                                  "const_cast",
                                  "consteval",
                                  "constexpr",
                                  "constinit",
                                  "continue",
                                  "decltype",
                                  "default",
                                  "delete",
                                  "do",
                                  "double",
                                  "dynamic_cast",
                                  "else",
                                  "enum",
                                  "errno",
                                  "explicit",
                                  "export",
                                  "extern",
                                  "false",
                                  "far",
                                  "final",
                                  "float",
                                  "for",
                                  "friend",
                                  "goto",
                                  "i386",
                                  "if",
                                  "imaginary",
                                  "import",
                                  "inline",
                                  "int",
                                  "linux",
                                  "long",
                                  "main",
                                  "max",
                                  "min",
                                  "module",
                                  "mutable",
                                  "namespace",
                                  "near",
                                  "new",
                                  "noexcept",
                                  "noreturn",
                                  "not",
                                  "not_eq",
                                  "nullptr",
                                  "offsetof",
                                  "operator",
                                  "or",
                                  "or_eq",
                                  "override",
                                  "private",
                                  "protected",
                                  "public",
                                  "register",
                                  "reinterpret_cast",
                                  "requires",
                                  "restrict",
                                  "return",
                                  "setjmp",
                                  "short",
                                  "signed",
                                  "sizeof",
                                  "static",
                                  "static_assert",
                                  "static_cast",
                                  "stderr",
                                  "stdin",
                                  "stdout",
                                  "struct",
                                  "switch",
                                  "template",
                                  "this",
                                  "thread_local",
                                  "throw",
                                  "true",
                                  "try",
                                  "typedef",
                                  "typeid",
                                  "typename",
                                  "typeof",
                                  "union",
                                  "unix",
                                  "unsigned",
                                  "using",
                                  "va_arg",
                                  "virtual",
                                  "void",
                                  "volatile",
                                  "wchar_t",
                                  "while",
                                  "xor",
                                  "xor_eq",
                                  "EOF",
                                  "I",
                                  "NULL",
                                  "NAN",
                                  "INFINITY",
                                  "TRUE",
                                  "FALSE",
                                  "BUFSIZ",
                                  "WIN32"};

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// INT8_MAX, UINT64_C …: macros of <stdint.h> and <limits.h>.
bool is_limit(const std::string& text) {
  const auto ends = [&](const std::string& tail) {
    return text.size() > tail.size() &&
           text.compare(text.size() - tail.size(), tail.size(), tail) == 0;
  };
  return ends("_MAX") || ends("_MIN") || ends("_C");
}

}  // namespace

std::string c_identifier(const std::string& name) {
  std::string text;
  bool any = false;
  for (const char c : name) {
    const bool plain = is_letter(c) || is_digit(c);
    any = any || plain;
    // One underscore for each run of other characters.
    if (plain) {
      text += c;
    } else if (!text.empty() && text.back() != '_') {
      text += '_';
    }
  }
  if (!any) return "";
  while (text.back() == '_') text.pop_back();
  if (!is_letter(text[0])) text = "v" + text;
  if (text.size() > kMostCharacters) {
    text = text.substr(0, kMostCharacters - kHashCharacters - 1) + "_" +
           sha256(name).substr(0, kHashCharacters);
  }
  if (text.rfind("FRIT_", 0) == 0) text = "v" + text;
  if (std::find(kReserved.begin(), kReserved.end(), text) != kReserved.end() || is_limit(text)) {
    text += "_";
  }
  return text;
}

std::vector<std::string> c_identifiers(const std::vector<std::string>& names,
                                       const std::string& fallback,
                                       const std::vector<std::string>& taken) {
  std::set<std::string> used(taken.begin(), taken.end());
  std::vector<std::string> result;
  for (std::size_t i = 0; i < names.size(); ++i) {
    std::string base = c_identifier(names[i]);
    if (base.empty()) base = fallback + std::to_string(i);
    std::string text = base;
    for (int n = 2; !used.insert(text).second; ++n) text = base + "_" + std::to_string(n);
    result.push_back(text);
  }
  return result;
}

std::string comment_text(const std::string& text, std::size_t most) {
  std::string result;
  for (std::size_t i = 0; i < text.size();) {
    if (result.size() + 4 > most) return result + "...";
    const std::size_t length = printable_length(text, i);
    const char c = text[i];
    if (length == 0) {
      result += '?';
      ++i;
      continue;
    }
    const bool mark = !result.empty() &&
                      ((result.back() == '*' && c == '/') || (result.back() == '/' && c == '*') ||
                       (result.back() == '?' && c == '?'));
    if (mark) result += ' ';
    result.append(text, i, length);
    i += length;
  }
  if (!result.empty() && (result.back() == '\\' || result.back() == '*' || result.back() == '/')) {
    result += ' ';
  }
  return result;
}

}  // namespace frit
