// frit ops: the operators that import, plan and emit understand.
#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "apps/frit/commands.h"
#include "apps/frit/operator_facts.h"
#include "schedules/spelling.h"

namespace frit {

namespace {

using Json = nlohmann::json;
using Operators = std::vector<const Operator*>;

/// The page doc/operators.md.
std::string page_of(const Operators& operators) {
  std::string text =
      "# Operators\n\nWritten by `frit ops --markdown`. Those of ONNX's own domain stand without "
      "one; of the\nothers, `frit` holds what expansions need. Attributes in brackets may be left "
      "out. \"In ONNX\" are the\nopsets that define the operator anew, and the last column how "
      "many "
      "cases of ONNX's node suite are\nabout it; `frit ops NAME` lists them, and the types of "
      "inputs "
      "and outputs.\n\n"
      "| operator | formula | from opset | in ONNX | attributes | cases "
      "|\n|---|---|---|---|---|---|\n";
  for (const Operator* op : operators) text += operator_row(*op);
  return text;
}

std::string table_of(const Operators& operators) {
  std::string text = fmt::format("{:<36} {}\n", "operator", "from opset");
  for (const Operator* op : operators) {
    text += fmt::format("{:<36} {}\n", full_name(*op), op->first_opset());
  }
  return text;
}

Diagnostic no_operator(const std::string& wanted) {
  std::vector<std::string_view> names;
  for (const Operator* op : all_operators()) names.push_back(op->type());
  const std::string close = nearest_word(wanted, names);
  return error("cli-operator",
               fmt::format("there is no operator '{}'; {}frit ops lists all", wanted,
                           close.empty() ? "" : "did you mean '" + close + "'? "));
}

}  // namespace

ExitCode command_ops(const Options& options, Console& console) {
  const std::string& wanted = options.command.what;
  Operators chosen;
  for (const Operator* op : all_operators()) {
    if (wanted.empty() || wanted == full_name(*op) || wanted == op->type()) chosen.push_back(op);
  }
  if (chosen.empty()) return console.reject(no_operator(wanted));
  if (console.json()) {
    Json list = Json::array();
    for (const Operator* op : chosen) list.push_back(operator_json(*op));
    console.document({{"schema", "frit.ops/1"}, {"operators", std::move(list)}});
  } else if (options.command.markdown) {
    console.answer(page_of(chosen));
  } else if (wanted.empty()) {
    console.answer(table_of(chosen));
  } else {
    std::string text;
    for (const Operator* op : chosen) text += operator_text(*op);
    console.answer(text);
  }
  return ExitCode::kSuccess;
}

}  // namespace frit
