#include "schedules/directive_call.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "schedules/expression.h"

namespace frit {
namespace {

using Kind = Expression::Kind;

const std::vector<Expression>& no_elements() {
  static const std::vector<Expression> kNone;
  return kNone;
}

// "dim0", "dim1" …: the stage's dimension in memory, innermost first, by whatever name it has.
std::string axis_behind(const Halide::Func& func, const std::string& name) {
  if (!name.starts_with("dim") || name.size() != 4 || name[3] < '0' || name[3] > '9') return name;
  const auto dimension = static_cast<std::size_t>(name[3] - '0');
  const std::vector<Halide::Var> args = func.args();
  return dimension < args.size() ? args[dimension].name() : name;
}

}  // namespace

std::string loop_behind(const StageState& stage, const std::string& name) {
  return axis_behind(stage.stage->func, name);
}

Diagnostic DirectiveCall::error_here(const Span& span, std::string code,
                                     std::string message) const {
  return error_at(ast_, span, std::move(code), std::move(message));
}

void DirectiveCall::fail_at(const Span& span, std::string code, std::string message) {
  fail_with(error_here(span, std::move(code), std::move(message)));
}

void DirectiveCall::fail_with(Diagnostic diagnostic) {
  if (!fault_) fault_ = std::move(diagnostic);
}

std::string DirectiveCall::name(const Expression& e, const std::string& wanted) {
  if (e.kind == Kind::kName) return e.text;
  if (e.kind == Kind::kCall && e.text == "Var::outermost" && e.operands.empty()) return "outermost";
  fail_at(e.span, "sched-arguments",
          fmt::format("'{}' wants {} here, not '{}'", call_.name, wanted, to_text(e)));
  return "";
}

Loop DirectiveCall::loop(std::size_t i) { return loop(call_.arguments[i]); }

Loop DirectiveCall::loop(const Expression& e) {
  const std::string wanted = name(e, "a loop");
  if (!ok()) return {};
  if (const auto found = find_loop(stage_, definition_, wanted)) return *found;
  const std::string behind = loop_behind(stage_, wanted);
  if (const auto found = find_loop(stage_, definition_, behind)) return *found;
  Diagnostic missing = error_here(
      e.span, "sched-loop",
      fmt::format("'{}' has no loop '{}'", definition_name(stage_, definition_), wanted));
  missing.notes.push_back("its loops, innermost first: " + loop_list(stage_, definition_));
  for (const int other : definitions_of(stage_)) {
    if (other == definition_ || !find_loop(stage_, other, wanted)) continue;
    missing.notes.push_back(
        fmt::format("'{}' has a loop '{}'", definition_name(stage_, other), wanted));
  }
  fail_with(std::move(missing));
  return {};
}

std::vector<Loop> DirectiveCall::loops(std::size_t first, std::size_t end) {
  std::vector<Loop> found;
  for (std::size_t i = first; i < end; ++i) {
    found.push_back(loop(i));
    for (std::size_t j = first; ok() && j < i; ++j) {
      if (found[j - first].name != found.back().name) continue;
      fail_at(argument(i).span, "sched-arguments",
              fmt::format("loop '{}' is named twice; name each once", found.back().name));
    }
  }
  return found;
}

Halide::VarOrRVar DirectiveCall::fresh(std::size_t i, bool reduction,
                                       const std::set<std::string>& replaced) {
  return fresh(call_.arguments[i], reduction, replaced);
}

Halide::VarOrRVar DirectiveCall::fresh(const Expression& e, bool reduction,
                                       const std::set<std::string>& replaced) {
  const std::string made = name(e, "a new loop's name");
  if (!ok()) return Halide::Var("unused");
  const bool taken = find_loop(stage_, definition_, made).has_value() && !replaced.contains(made);
  if (taken || made == "outermost" || made.find_first_of(".:") != std::string::npos) {
    fail_at(e.span, "sched-loop",
            taken ? fmt::format("'{}' already has a loop '{}'; choose another name",
                                definition_name(stage_, definition_), made)
                  : fmt::format("'{}' cannot name a loop", made));
  }
  // A reduction keeps Halide's own name when it replaces itself (split(c, c, ci, 4)).
  if (const auto old = find_loop(stage_, definition_, made)) return {old->halide_name, reduction};
  return {made, reduction};
}

Halide::Var DirectiveCall::axis(std::size_t i) {
  const Expression& e = argument(i);
  const std::string written = name(e, "an axis");
  if (!ok()) return Halide::Var("unused");
  const std::string wanted = axis_behind(func(), written);
  std::string axes;
  for (const Halide::Var& var : func().args()) {
    if (var.name() == wanted) return var;
    axes += (axes.empty() ? "" : ", ") + var.name();
  }
  fail_at(e.span, "sched-loop",
          fmt::format("'{}' has no axis '{}'; its axes, innermost first: {}", stage_.role(), wanted,
                      axes.empty() ? "none" : axes));
  return Halide::Var("unused");
}

std::int64_t DirectiveCall::integer(std::size_t i, std::int64_t least) {
  return integer(call_.arguments[i], least);
}

std::int64_t DirectiveCall::integer(const Expression& e, std::int64_t least) {
  const auto value = evaluate(ast_, e, bound_);
  if (!value) {
    fail_with(value.error());
    return least;
  }
  if (*value >= least && *value <= std::numeric_limits<std::int32_t>::max()) return *value;
  fail_at(
      e.span, "sched-arguments",
      fmt::format(
          "'{}' wants a number from {} to 2147483647 here, and {} is {}; write one in that range",
          call_.name, least, to_text(e), *value));
  return least;
}

bool DirectiveCall::flag(std::size_t i, bool otherwise) {
  if (i >= count()) return otherwise;
  const Expression& e = argument(i);
  if (e.kind == Kind::kName && (e.text == "true" || e.text == "false")) return e.text == "true";
  return integer(i, 0) != 0;
}

bool DirectiveCall::is_name(std::size_t i) const {
  return i < count() && argument(i).kind == Kind::kName;
}

bool DirectiveCall::is_list(std::size_t i) const {
  return i < count() && argument(i).kind == Kind::kList;
}

const std::vector<Expression>& DirectiveCall::list(std::size_t i) {
  if (is_list(i)) return argument(i).operands;
  fail_at(i < count() ? argument(i).span : call_.span, "sched-arguments",
          fmt::format("'{}' wants a list {{…}} here; write {{a, b}}", call_.name));
  return no_elements();
}

StageState* DirectiveCall::other_stage(std::size_t i, int* definition) {
  const Expression& e = argument(i);
  std::string role = e.text;
  int wanted = kPureDefinition;
  if (e.kind == Kind::kCall && role.ends_with(".update") && e.operands.size() <= 1) {
    role.resize(role.size() - std::string(".update").size());
    wanted = e.operands.empty() ? 0 : static_cast<int>(integer(e.operands.front(), 0));
  } else {
    role = name(e, "a stage");
  }
  if (!ok()) return nullptr;
  StageState* found = pipeline_.find(role);
  if (found == nullptr) {
    Diagnostic missing = error_here(e.span, "sched-stage", fmt::format("no stage '{}'", role));
    missing.notes.push_back("stages here: " + pipeline_.role_list());
    fail_with(std::move(missing));
    return nullptr;
  }
  if (wanted >= found->stage->func.num_update_definitions()) {
    fail_at(e.span, "sched-stage",
            fmt::format("'{}' has {} updates; there is no update({})", role,
                        found->stage->func.num_update_definitions(), wanted));
    return nullptr;
  }
  if (definition != nullptr) *definition = wanted;
  return found;
}

std::string DirectiveCall::word(std::size_t i) {
  if (i >= count()) return "";
  const std::string text = name(argument(i), "a word");
  const std::size_t colon = text.rfind(':');
  return colon == std::string::npos ? text : text.substr(colon + 1);
}

std::optional<std::int64_t> DirectiveCall::extent(const std::string& loop) const {
  const auto& known = stage_.extents[definition_];
  const auto found = known.find(loop);
  return found == known.end() ? std::nullopt : std::optional<std::int64_t>(found->second);
}

void DirectiveCall::set_extent(const std::string& loop, std::optional<std::int64_t> extent) {
  auto& known = stage_.extents[definition_];
  if (extent) {
    known[loop] = *extent;
  } else {
    known.erase(loop);
  }
}

}  // namespace frit
