// What is known of an operator: by its class (formula, attributes), by ONNX (versions, inputs,
// outputs, cases of the node suite; onnx_table.py, made when frit is built) and by the reference.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "ops/operator.h"

namespace frit {

/// "Conv", "com.microsoft::Gelu"
std::string full_name(const Operator& op);

/// As `frit ops --json` lists it; "onnx" is null for operators of other domains.
nlohmann::json operator_json(const Operator& op);

/// A fact a line, under its name.
std::string operator_text(const Operator& op);

/// A line of the page doc/operators.md: a row of its table.
std::string operator_row(const Operator& op);

}  // namespace frit
