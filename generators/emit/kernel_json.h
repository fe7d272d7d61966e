// What the cache keeps of a kernel beside its object file.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "generators/emit/kernel.h"

namespace frit {

/// Arguments are kept by position: values differ between equal groups.
nlohmann::json kernel_to_json(const Kernel& kernel);
/// Throws nlohmann::json::exception where the text is not such a record.
Kernel kernel_from_json(const nlohmann::json& json);

}  // namespace frit
