// Plan, runtime, kernels and constants as one prelinked object whose only global symbols are the
// package's functions; from it an archive or a shared object.
#pragma once

#include <string>

#include "generators/package/model.h"

namespace frit {

/// A folder of its own for one build, made inside `parent`; removed with all it holds.
class BuildFolder {
 public:
  static Result<BuildFolder> make(const std::string& parent);
  BuildFolder(BuildFolder&& other) noexcept;
  BuildFolder& operator=(BuildFolder&&) = delete;
  BuildFolder(const BuildFolder&) = delete;
  BuildFolder& operator=(const BuildFolder&) = delete;
  ~BuildFolder();
  const std::string& path() const { return path_; }

 private:
  explicit BuildFolder(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

/// Writes `text` to `path`, never half of it. Error: "package-write".
Status write_file(const std::string& path, std::string_view text);

/// Compiles and prelinks the model's one object in the build folder.
Status build_object(const PackageModel& model, const BuildFolder& folder);

/// From that object, at these paths inside the build folder.
Status build_archive(const PackageModel& model, const BuildFolder& folder);
Status build_shared(const PackageModel& model, const BuildFolder& folder);
std::string archive_in(const PackageModel& model);
std::string shared_in(const PackageModel& model);

}  // namespace frit
