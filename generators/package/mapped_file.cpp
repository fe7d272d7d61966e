#include "generators/package/mapped_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace frit {

Result<MappedFile> MappedFile::map(const std::string& path) {
  MappedFile mapped;
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  struct stat facts = {};
  bool good = file >= 0 && fstat(file, &facts) == 0;
  if (good && facts.st_size > 0) {
    const auto bytes = static_cast<std::size_t>(facts.st_size);
    void* const data = mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE, file, 0);
    good = data != MAP_FAILED;
    if (good) {
      mapped.data_ = data;
      mapped.bytes_ = bytes;
    }
  }
  const int problem = errno;
  if (file >= 0) close(file);
  if (good) return mapped;
  return fail("package-read", fmt::format("cannot map '{}': {}; is it there and readable?", path,
                                          std::strerror(problem)));
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

MappedFile::~MappedFile() {
  if (data_ != nullptr) munmap(data_, bytes_);
}

}  // namespace frit
