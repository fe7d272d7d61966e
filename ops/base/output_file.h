// Files that appear whole or not at all, one or several together.
//
// Knows neither diagnostics nor tensors, so that programs without the rest of frit use it too.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace frit {

/// Whether both names lead to one regular file: what is read must not be written over.
bool same_file(const std::string& a, const std::string& b);

/// Each file is written beside its place and moved there by put_in_place(); what was not moved goes
/// away with this object. Links are followed. What is no regular file (device, pipe, standard
/// output by its name in /dev) is written into at once, and never replaced or removed.
///
/// Every function returns "" or a sentence: "cannot write 'PATH': reason; next step".
class OutputFiles {
 public:
  OutputFiles() = default;
  OutputFiles(const OutputFiles&) = delete;
  OutputFiles& operator=(const OutputFiles&) = delete;
  ~OutputFiles();

  /// Existing folders only. A file that is there keeps its permissions.
  std::string add(const std::string& path, std::string_view bytes);
  /// Takes the file `made`, which lies on the same file system. `path` must be a regular file or
  /// nothing.
  std::string add_made(const std::string& path, const std::string& made);
  /// All of them, or after a failure none: then each place holds what it held before (where the
  /// file system can exchange files; else those moved by then are new).
  std::string put_in_place();

 private:
  enum class State { kBeside, kNew, kExchanged, kReplaced };
  struct File {
    std::string path, part;
    State state = State::kBeside;
  };
  static void take_back(File& file);
  std::vector<File> files_;
};

/// One file.
std::string write_whole(const std::string& path, std::string_view bytes);

/// Flushes what was printed. "" as long as all of it reached standard output, else the sentence
/// above. Right after a print it knows the reason.
std::string finish_stdout();

}  // namespace frit
