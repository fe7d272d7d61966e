#include "generators/emit/kernel_json.h"

#include <nlohmann/json.hpp>

#include "generators/emit/json_integer.h"

namespace frit {
namespace {

nlohmann::json argument_to_json(const KernelArgument& argument) {
  nlohmann::json dims = nlohmann::json::array();
  for (const KernelArgument::Dim& dim : argument.dims) {
    dims.push_back({dim.min, dim.extent, dim.stride});
  }
  return {{"output", argument.is_output},          {"constant", argument.is_constant},
          {"dtype", name_of(argument.dtype)},      {"dims", dims},
          {"offset_bytes", argument.offset_bytes}, {"bytes", argument.bytes}};
}

std::int32_t int32_of(const nlohmann::json& json) {
  return static_cast<std::int32_t>(json_integer(json, INT32_MIN, INT32_MAX));
}

std::int64_t bytes_of(const nlohmann::json& json) { return json_integer(json, 0, INT64_MAX); }

KernelArgument argument_from_json(const nlohmann::json& json) {
  KernelArgument argument;
  argument.is_output = json.at("output");
  argument.is_constant = json.at("constant");
  argument.dtype = dtype_named(json.at("dtype").get<std::string>()).value();
  for (const nlohmann::json& dim : json.at("dims")) {
    argument.dims.push_back({int32_of(dim.at(0)), int32_of(dim.at(1)), int32_of(dim.at(2))});
  }
  argument.offset_bytes = json_integer(json.at("offset_bytes"), INT64_MIN, INT64_MAX);
  argument.bytes = bytes_of(json.at("bytes"));
  return argument;
}

}  // namespace

nlohmann::json kernel_to_json(const Kernel& kernel) {
  nlohmann::json arguments = nlohmann::json::array();
  for (const KernelArgument& argument : kernel.arguments) {
    arguments.push_back(argument_to_json(argument));
  }
  return {{"symbol", kernel.symbol},
          {"object_sha256", kernel.object_sha256},
          {"arguments", arguments},
          {"temporary_bytes", kernel.temporary_bytes},
          {"worker_bytes", kernel.worker_bytes},
          {"one_touch", kernel.one_touch},
          {"schedule", kernel.schedule_name},
          {"schedule_text", kernel.schedule_text}};
}

Kernel kernel_from_json(const nlohmann::json& json) {
  Kernel kernel;
  kernel.symbol = json.at("symbol");
  kernel.object_sha256 = json.at("object_sha256");
  for (const nlohmann::json& argument : json.at("arguments")) {
    kernel.arguments.push_back(argument_from_json(argument));
  }
  kernel.temporary_bytes = bytes_of(json.at("temporary_bytes"));
  kernel.worker_bytes = bytes_of(json.at("worker_bytes"));
  kernel.one_touch = json.at("one_touch");
  kernel.schedule_name = json.at("schedule");
  kernel.schedule_text = json.at("schedule_text");
  return kernel;
}

}  // namespace frit
