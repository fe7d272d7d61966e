// Diagnostics as SARIF 2.1.0, the form that code hosts and editors show beside the lines.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "ops/base/result.h"

namespace frit {

nlohmann::json sarif_document(const Diagnostics& diagnostics, const std::string& version);

}  // namespace frit
