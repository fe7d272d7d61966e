// What a schedule file says, as parsed: items in source order, so that it can be printed back.
//
// Made by parser.cpp, read by binding.cpp (values), apply.cpp (directives) and printer.cpp.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ops/base/diagnostic.h"

namespace frit {

/// A stretch of one source line; line and column count from 1.
struct Span {
  int line = 0;
  int column = 0;
  int length = 1;
};

/// An integer expression, or a directive's argument (a name, a list, a stage reference).
struct Expression {
  enum class Kind : std::uint8_t { kNumber, kName, kUnary, kBinary, kTernary, kCall, kList };
  Kind kind = Kind::kNumber;
  Span span;
  std::int64_t number = 0;
  std::string text;  ///< name (parts joined by "." or "::"), operator, or function called
  std::vector<Expression> operands;
  int depth = 1;
};

/// `name = role[*].call(…).call(…)`, or with `optional` before it.
struct DirectiveLine {
  struct Call {
    std::string name;
    Span span;  ///< of the name
    std::vector<Expression> arguments;
  };
  bool optional = false;
  std::string defines;  ///< stage that the line makes (rfactor, in, clone_in); empty: none
  Span defines_span;
  std::string subject;  ///< role, without the star
  bool wildcard = false;
  Span subject_span;
  std::vector<Call> calls;
};

/// `pack w (k % (16*kb), rx, ry, c, k / (16*kb))`
struct PackLine {
  struct Dim {
    std::string axis;
    Span span;
    std::optional<Expression> divisor, modulus;
  };
  std::string role;
  Span role_span;
  std::vector<Dim> dims;
};

struct ScheduleItem;

/// if … else if … else … end. The last branch has no condition when it is the `else`.
struct IfBlock {
  struct Branch {
    std::optional<Expression> condition;
    std::string comment;
    std::vector<ScheduleItem> items;
  };
  std::vector<Branch> branches;
};

struct ScheduleItem {
  enum class Kind : std::uint8_t {
    kBlank,
    kComment,
    kVersion,
    kFor,
    kPriority,
    kWhen,
    kParam,
    kLet,
    kConstraint,
    kMinimise,
    kPack,
    kDirective,
    kIf
  };
  Kind kind = Kind::kBlank;
  Span span;
  std::string comment;              ///< trailing comment, or the whole line for kComment
  std::vector<std::string> names;   ///< anchors of `for`
  std::string name;                 ///< of a param or let
  Expression value;                 ///< condition, default, number
  std::vector<Expression> choices;  ///< of `param … in {…}`
  PackLine pack;
  DirectiveLine directive;
  IfBlock block;
};

struct ScheduleAst {
  std::string file;
  std::vector<std::string> lines;  ///< source text, for diagnostics
  std::vector<ScheduleItem> items;
  std::vector<std::string> anchors;
  std::int64_t priority = 0;
};

/// The place of `span` in the file, with its source line.
SourcePlace place_of(const ScheduleAst& ast, const Span& span);
/// An error at `span`.
Diagnostic error_at(const ScheduleAst& ast, const Span& span, std::string code,
                    std::string message);

}  // namespace frit
