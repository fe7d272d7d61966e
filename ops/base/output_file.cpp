#include "ops/base/output_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

namespace frit {
namespace {

namespace fs = std::filesystem;

std::string cannot_write(const std::string& name, int code) {
  const bool full = code == ENOSPC || code == EDQUOT || code == EFBIG;
  return "cannot write " + name + ": " + std::strerror(code) +
         (full ? "; free some space or write elsewhere" : "; give a path that can be written");
}

std::string in_quotes(const std::string& path) { return "'" + path + "'"; }

struct Place {
  enum class Kind { kNothing, kRegular, kStream, kFolder } kind = Kind::kNothing;
  std::string path;  // links followed
  mode_t mode = 0666;
};

bool names_open_stream(const std::string& path) {
  return path.starts_with("/proc/") || path.starts_with("/dev/fd/");
}

/// What a path stands for. A file that a program has open is a stream whatever it is: the one that
/// would replace it is not the one that the program reads.
Place place_of(const std::string& path) {
  Place place;
  place.path = path;
  struct stat facts = {};
  if (::stat(path.c_str(), &facts) == 0) {
    place.kind = S_ISREG(facts.st_mode)   ? Place::Kind::kRegular
                 : S_ISDIR(facts.st_mode) ? Place::Kind::kFolder
                                          : Place::Kind::kStream;
    place.mode = facts.st_mode & 0777;
  }
  if (place.kind == Place::Kind::kStream || place.kind == Place::Kind::kFolder) return place;
  constexpr int kMostLinks = 40;  // as the kernel
  std::error_code problem;
  fs::path at = path;
  for (int i = 0; i < kMostLinks && !names_open_stream(at.string()); ++i) {
    if (!fs::is_symlink(fs::symlink_status(at, problem))) break;
    const fs::path next = fs::read_symlink(at, problem);
    if (problem) break;
    at = at.parent_path() / next;
  }
  place.path = at.string();
  if (names_open_stream(place.path)) place.kind = Place::Kind::kStream;
  return place;
}

/// 0 or errno.
int write_bytes(int file, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t done = ::write(file, bytes.data(), bytes.size());
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) return errno;
    bytes.remove_prefix(static_cast<std::size_t>(done));
  }
  return 0;
}

/// Writes and closes. 0 or errno.
int write_and_close(int file, std::string_view bytes) {
  const int code = write_bytes(file, bytes);
  const bool closed = ::close(file) == 0;
  return code != 0 ? code : closed ? 0 : errno;
}

int write_stream(const std::string& path, std::string_view bytes) {
  const int file = ::open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
  return file < 0 ? errno : write_and_close(file, bytes);
}

/// A new file in the folder of `place`, its name in `part`. Its descriptor; -1 and errno.
int open_part(const Place& place, std::string& part) {
  static int count = 0;
  constexpr int kMostTries = 1000;  // left over from processes of the same number
  const fs::path folder = fs::path(place.path).parent_path();
  for (int i = 0; i < kMostTries; ++i) {
    const std::string name =
        ".frit-" + std::to_string(::getpid()) + "-" + std::to_string(count++) + ".part";
    part = (folder / name).string();
    const int file = ::open(part.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file < 0 && errno == EEXIST) continue;
    // Where that is refused the file has the usual permissions.
    if (file >= 0 && place.kind == Place::Kind::kRegular) ::fchmod(file, place.mode);
    return file;
  }
  errno = EEXIST;
  return -1;
}

bool exchange(const std::string& a, const std::string& b) {
  return ::renameat2(AT_FDCWD, a.c_str(), AT_FDCWD, b.c_str(), RENAME_EXCHANGE) == 0;
}

}  // namespace

bool same_file(const std::string& a, const std::string& b) {
  std::error_code fault;
  return fs::equivalent(a, b, fault) && !fault && fs::is_regular_file(a, fault);
}

OutputFiles::~OutputFiles() {
  for (const File& file : files_) {
    if (file.state == State::kBeside) ::unlink(file.part.c_str());
  }
}

std::string OutputFiles::add(const std::string& path, std::string_view bytes) {
  const Place place = place_of(path);
  if (place.kind == Place::Kind::kFolder) return cannot_write(in_quotes(path), EISDIR);
  if (place.kind == Place::Kind::kStream) {
    const int code = write_stream(place.path, bytes);
    return code == 0 ? "" : cannot_write(in_quotes(path), code);
  }
  std::string part;
  const int file = open_part(place, part);
  if (file < 0) return cannot_write(in_quotes(path), errno);
  files_.push_back({place.path, part});
  const int code = write_and_close(file, bytes);
  return code == 0 ? "" : cannot_write(in_quotes(path), code);
}

std::string OutputFiles::add_made(const std::string& path, const std::string& made) {
  const Place place = place_of(path);
  if (place.kind == Place::Kind::kFolder) return cannot_write(in_quotes(path), EISDIR);
  if (place.kind == Place::Kind::kStream) return cannot_write(in_quotes(path), EEXIST);
  files_.push_back({place.path, made});
  return "";
}

void OutputFiles::take_back(File& file) {
  const bool back =
      (file.state == State::kExchanged && exchange(file.part, file.path)) ||
      (file.state == State::kNew && ::rename(file.path.c_str(), file.part.c_str()) == 0);
  if (back) file.state = State::kBeside;
}

std::string OutputFiles::put_in_place() {
  for (std::size_t i = 0; i < files_.size(); ++i) {
    File& file = files_[i];
    if (exchange(file.part, file.path)) {
      file.state = State::kExchanged;
      continue;
    }
    // Nothing there to exchange, or a file system without exchange.
    const bool is_new = errno == ENOENT;
    if (::rename(file.part.c_str(), file.path.c_str()) == 0) {
      file.state = is_new ? State::kNew : State::kReplaced;
      continue;
    }
    const std::string fault = cannot_write(in_quotes(file.path), errno);
    while (i-- > 0) take_back(files_[i]);
    return fault;
  }
  for (const File& file : files_) {
    if (file.state == State::kExchanged) ::unlink(file.part.c_str());
  }
  files_.clear();
  return "";
}

std::string write_whole(const std::string& path, std::string_view bytes) {
  OutputFiles files;
  const std::string fault = files.add(path, bytes);
  return fault.empty() ? files.put_in_place() : fault;
}

std::string finish_stdout() {
  static int first_failure = 0;
  const int of_print = errno;
  if (std::fflush(stdout) != 0) {
    if (first_failure == 0) first_failure = errno;
  } else if (std::ferror(stdout) != 0 && first_failure == 0) {
    first_failure = of_print != 0 ? of_print : EIO;
  }
  return first_failure == 0 ? "" : cannot_write("standard output", first_failure);
}

}  // namespace frit
