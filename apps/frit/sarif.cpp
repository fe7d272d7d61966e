#include "apps/frit/sarif.h"

#include <nlohmann/json.hpp>
#include <set>
#include <utility>

namespace frit {

namespace {

const char* level_of(Severity severity) {
  switch (severity) {
    case Severity::kNote:
      return "note";
    case Severity::kWarning:
      return "warning";
    case Severity::kError:
      return "error";
  }
  return "error";
}

nlohmann::json location_of(const SourcePlace& place) {
  nlohmann::json physical = {{"artifactLocation", {{"uri", place.file}}}};
  if (place.line > 0) {
    physical["region"] = {{"startLine", place.line},
                          {"startColumn", place.column},
                          {"endColumn", place.column + place.length}};
  }
  return {{"physicalLocation", std::move(physical)}};
}

nlohmann::json result_of(const Diagnostic& diagnostic) {
  std::string text = diagnostic.message;
  for (const std::string& note : diagnostic.notes) text += "\nnote: " + note;
  for (const FixIt& fix : diagnostic.fixes) text += "\nfix: " + fix.edit;
  nlohmann::json result = {{"ruleId", diagnostic.code},
                           {"level", level_of(diagnostic.severity)},
                           {"message", {{"text", std::move(text)}}}};
  if (!diagnostic.place.file.empty()) {
    result["locations"] = nlohmann::json::array({location_of(diagnostic.place)});
  }
  return result;
}

}  // namespace

nlohmann::json sarif_document(const Diagnostics& diagnostics, const std::string& version) {
  std::set<std::string> codes;
  nlohmann::json results = nlohmann::json::array(), rules = nlohmann::json::array();
  for (const Diagnostic& diagnostic : diagnostics) {
    results.push_back(result_of(diagnostic));
    if (codes.insert(diagnostic.code).second) rules.push_back({{"id", diagnostic.code}});
  }
  const nlohmann::json driver = {
      {"name", "frit"}, {"version", version}, {"rules", std::move(rules)}};
  return {{"version", "2.1.0"},
          {"runs", nlohmann::json::array(
                       {{{"tool", {{"driver", driver}}}, {"results", std::move(results)}}})}};
}

}  // namespace frit
