// Diagnostics as JSON, in the form of UX.md: {file,line,col,severity,code,message,notes,fixes}.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "ops/base/diagnostic.h"

namespace frit {

nlohmann::json diagnostic_to_json(const Diagnostic& diagnostic);
Diagnostic diagnostic_from_json(const nlohmann::json& json);

}  // namespace frit
