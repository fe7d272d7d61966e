#include "generators/emit/diagnostic_json.h"

#include <nlohmann/json.hpp>

namespace frit {
namespace {

const char* name_of(Severity severity) {
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

}  // namespace

nlohmann::json diagnostic_to_json(const Diagnostic& diagnostic) {
  nlohmann::json fixes = nlohmann::json::array();
  for (const FixIt& fix : diagnostic.fixes) {
    fixes.push_back(
        {{"edit", fix.edit}, {"remark", fix.remark}, {"storage_bytes", fix.storage_bytes}});
  }
  return {{"file", diagnostic.place.file},
          {"line", diagnostic.place.line},
          {"col", diagnostic.place.column},
          {"length", diagnostic.place.length},
          {"source_line", diagnostic.place.source_line},
          {"severity", name_of(diagnostic.severity)},
          {"code", diagnostic.code},
          {"message", diagnostic.message},
          {"notes", diagnostic.notes},
          {"fixes", fixes}};
}

Diagnostic diagnostic_from_json(const nlohmann::json& json) {
  Diagnostic diagnostic = error(json.value("code", ""), json.value("message", ""));
  const std::string severity = json.value("severity", "error");
  if (severity == "note") diagnostic.severity = Severity::kNote;
  if (severity == "warning") diagnostic.severity = Severity::kWarning;
  diagnostic.place.file = json.value("file", "");
  diagnostic.place.line = json.value("line", 0);
  diagnostic.place.column = json.value("col", 0);
  diagnostic.place.length = json.value("length", 1);
  diagnostic.place.source_line = json.value("source_line", "");
  diagnostic.notes = json.value("notes", std::vector<std::string>());
  for (const nlohmann::json& fix : json.value("fixes", nlohmann::json::array())) {
    diagnostic.fixes.push_back({fix.value("edit", ""), fix.value("remark", ""),
                                fix.value("storage_bytes", std::int64_t{-1})});
  }
  return diagnostic;
}

}  // namespace frit
