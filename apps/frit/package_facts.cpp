#include "apps/frit/package_facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <nlohmann/json.hpp>

#include "apps/frit/check_path.h"
#include "generators/emit/hash.h"
#include "generators/emit/json_integer.h"
#include "ops/base/text_file.h"
#include "ops/limits.h"

namespace frit {

namespace {

namespace fs = std::filesystem;

constexpr int kMostThreads = 1 << 16;

/// Names become parts of paths and of C functions.
std::string c_name_of(const nlohmann::json& name) {
  std::string text = name;
  const bool good = !text.empty() && std::ranges::all_of(text, [](char c) {
    return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  });
  if (!good) throw std::invalid_argument("'" + text + "' is no name of C functions");
  return text;
}

TensorType type_of(const nlohmann::json& tensor) {
  const auto dtype = dtype_named(tensor.at("dtype").get<std::string>());
  if (!dtype) throw std::invalid_argument("unknown element type");
  std::vector<std::int64_t> dims;
  std::int64_t elements = 1;
  for (const auto& dim : tensor.at("shape")) {
    dims.push_back(json_integer(dim, 0, kMaxElements));
    elements *= dims.back();
    if (elements > kMaxElements) throw std::invalid_argument("a tensor with too many elements");
  }
  return TensorType(*dtype, dims);
}

PackageFacts facts_of(const nlohmann::json& report, const std::string& folder) {
  PackageFacts facts;
  facts.folder = folder;
  facts.c_name = c_name_of(report.at("model").at("c_name"));
  facts.model_sha256 = report.at("model").at("sha256");
  facts.target = report.at("target");
  facts.threads = static_cast<int>(json_integer(report.at("threads"), 1, kMostThreads));
  for (const auto& tensor : report.at("inputs")) facts.inputs.push_back(type_of(tensor));
  for (const auto& tensor : report.at("outputs")) facts.outputs.push_back(type_of(tensor));
  // Reports of earlier versions know no weights.
  if (report.contains("weights") && report["weights"].contains("file")) {
    facts.weights_file = report["weights"]["file"];
    if (facts.weights_file != facts.c_name + ".weights") {
      throw std::invalid_argument("its weights are said to lie in '" + facts.weights_file + "'");
    }
  }
  std::string schedules;
  for (const auto& group : report.at("groups")) {
    for (const auto& node : group.at("onnx_nodes")) facts.onnx_nodes.push_back(node);
    if (!group.contains("schedule")) continue;
    schedules += group["schedule"].at("name").get<std::string>() + " " +
                 group["schedule"].at("sha256").get<std::string>() + "\n";
  }
  facts.schedule_sha = sha256(schedules);
  return facts;
}

Status set_level(const nlohmann::json& report, const std::string& name, PackageFacts& facts) {
  std::string known;
  for (const auto& level : report.value("cpu_levels", nlohmann::json::array())) {
    if (level.at("name") == name) {
      facts.level_name = name;
      facts.cpu_level = static_cast<int>(json_integer(level.at("number"), 1, kMostThreads));
    }
    known += (known.empty() ? "" : ", ") + level.at("name").get<std::string>();
  }
  if (facts.cpu_level != 0) return {};
  return fail("package-level",
              fmt::format("package '{}' has no CPU level '{}' but {}; name one of these",
                          facts.folder, name, known.empty() ? "none" : known));
}

}  // namespace

Result<PackageFacts> parse_report(std::string_view text, const std::string& file,
                                  const std::string& folder, const std::string& level) {
  try {
    const auto report = nlohmann::json::parse(text);
    PackageFacts facts = facts_of(report, folder);
    if (!level.empty()) FRIT_TRY(set_level(report, level, facts));
    return facts;
  } catch (const std::exception& fault) {
    return fail("package-report", fmt::format("'{}' is not a report of frit: {}; build it again",
                                              file, fault.what()));
  }
}

Result<PackageFacts> read_package_facts(const std::string& argument) {
  // A folder may have an @ in its name.
  const auto at = argument.rfind('@');
  const bool has_level = at != std::string::npos && !fs::is_directory(argument);
  const std::string folder = has_level ? argument.substr(0, at) : argument;
  const std::string level = has_level ? argument.substr(at + 1) : "";
  FRIT_TRY(check_folder(folder, "a package's folder"));
  if (has_level && level.empty()) {
    return fail("package-level", fmt::format("'{}' ends in @ without a CPU level; name one, or "
                                             "leave the @ out",
                                             argument));
  }
  std::vector<fs::path> reports;
  std::error_code failure;
  for (const auto& entry : fs::directory_iterator(folder, failure)) {
    if (entry.path().string().ends_with(".report.json")) reports.push_back(entry.path());
  }
  if (reports.size() != 1) {
    return fail("package-report",
                fmt::format("'{}' holds {} files *.report.json but a package has one; make it with "
                            "frit build MODEL -o DIR",
                            folder, reports.size()));
  }
  const Result<std::string> text = read_text_file(reports.front().string(), "report");
  if (!text) return fail(text.error());
  return parse_report(*text, reports.front().string(), folder, level);
}

}  // namespace frit
