// Weights that a model keeps in files beside it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "ops/base/result.h"

namespace onnx {
class TensorProto;
}

namespace frit {

/// Reads windows of files inside one folder. The same window is read once and shared.
///
/// Refused (code "onnx-external-data"): a location that is absolute, holds "..", or leads out of
/// the folder through a symbolic link; what is no regular file; a window beyond the file's end;
/// more bytes in all than four times the size of the files (windows that overlap without end).
class ExternalData {
 public:
  explicit ExternalData(std::filesystem::path folder) : folder_(std::move(folder)) {}

  /// The `size` bytes that `tensor` points to. `what` names it in messages.
  Result<std::shared_ptr<const std::vector<std::byte>>> read(const onnx::TensorProto& tensor,
                                                             std::int64_t size,
                                                             const std::string& what);

 private:
  struct Opened {
    std::filesystem::path path;
    std::int64_t size = 0;
    std::int64_t read = 0;
  };
  Result<Opened*> open(const std::string& location, const std::string& what);

  std::filesystem::path folder_;
  std::map<std::string, Opened> files_;
  std::map<std::tuple<std::string, std::int64_t, std::int64_t>,
           std::shared_ptr<const std::vector<std::byte>>>
      windows_;
};

}  // namespace frit
