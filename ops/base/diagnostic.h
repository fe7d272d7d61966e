// What is wrong, said so that a person can act on it.
//
// Every expected failure in frit is a value of this type (see result.h). The text form is the one
// of UX.md:  file:line:col: severity: message [code]  + source line with caret + notes + fixes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace frit {

enum class Severity : std::uint8_t { kNote, kWarning, kError };

/// A place in a text file. line and column count from 1; 0 means unknown.
struct SourcePlace {
  std::string file;
  int line = 0;
  int column = 0;
  int length = 1;           ///< characters underlined by the caret line
  std::string source_line;  ///< text of that line, for the caret; may be empty
};

/// One edit that would mend the fault, as the text to put in place of the offending line.
struct FixIt {
  std::string edit;
  std::string remark;                ///< e.g. "legal; storage 12.4 KB"
  std::int64_t storage_bytes = -1;  ///< -1: unknown
};

struct Diagnostic {
  Severity severity = Severity::kError;
  std::string code;     ///< stable, kebab-case: "sched-compute-at", "onnx-unsupported-op"
  std::string message;  ///< names the thing, the two facts that disagree and the next step
  SourcePlace place;    ///< file empty when the fault has no place in a text
  std::vector<std::string> notes;
  std::vector<FixIt> fixes;
};

/// An error without a place.
Diagnostic error(std::string code, std::string message);

/// The text form above, without a trailing newline.
std::string to_text(const Diagnostic& diagnostic);

}  // namespace frit
