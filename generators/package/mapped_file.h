// A file mapped for reading, for as long as the object lives.
#pragma once

#include <cstddef>
#include <string>

#include "ops/base/result.h"

namespace frit {

class MappedFile {
 public:
  /// Error "package-read" with the system's words. An empty file has no bytes and a null pointer.
  static Result<MappedFile> map(const std::string& path);
  MappedFile() = default;
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  ~MappedFile();

  const void* data() const { return data_; }
  std::size_t bytes() const { return bytes_; }

 private:
  void* data_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace frit
