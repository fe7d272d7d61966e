// The kernel cache: content-addressed files, written by rename so that a reader never sees half of
// one and Ctrl-C leaves it valid.
#pragma once

#include <optional>
#include <string>

#include "ops/base/result.h"

namespace frit {

class Cache {
 public:
  /// `folder` is made when needed. Empty: $FRIT_CACHE_DIR, else $XDG_CACHE_HOME/frit, else
  /// $HOME/.cache/frit.
  explicit Cache(std::string folder);

  const std::string& folder() const { return folder_; }
  /// Path of an entry's file, whether or not it exists ("<folder>/ab/abcdef….o").
  std::string path(const std::string& key, const std::string& suffix) const;
  /// Text of an entry's file, if it is there and whole.
  std::optional<std::string> read(const std::string& key, const std::string& suffix) const;
  bool has(const std::string& key, const std::string& suffix) const;
  /// A fresh name beside the entry, to be written and then committed.
  Result<std::string> scratch(const std::string& key, const std::string& suffix) const;
  Status commit(const std::string& scratch_path, const std::string& key,
                const std::string& suffix) const;
  Status write(const std::string& key, const std::string& suffix, const std::string& text) const;

 private:
  std::string folder_;
};

}  // namespace frit
