#include "generators/package/weights_file.h"

#include <fmt/format.h>

#include <cstring>

#include "generators/emit/hash.h"
#include "runtime/checksum.h"
#include "runtime/error.h"

namespace frit {

frit_weights_header weights_header(const MemoryPlan& memory) {
  const std::vector<std::byte> blob = constants_blob(memory);
  std::string identity = fmt::format("frit.weights/{}\n", FRIT_WEIGHTS_FORMAT);
  for (std::size_t i = 0; i < memory.constants.size(); ++i) {
    identity +=
        fmt::format("{} {}\n", memory.constant_offsets[i], memory.constants[i].bytes().size());
  }
  identity += sha256(std::span<const std::byte>(blob));
  const std::string hash = sha256(identity);
  frit_weights_header header = {};
  std::memcpy(header.magic, FRIT_WEIGHTS_MAGIC, sizeof header.magic);
  header.format = FRIT_WEIGHTS_FORMAT;
  header.header_bytes = sizeof header;
  header.content_bytes = blob.size();
  for (std::size_t i = 0; i < 2; ++i) {
    header.identity[i] = std::stoull(hash.substr(16 * i, 16), nullptr, 16);
  }
  header.checksum = frit_checksum(blob.data(), blob.size());
  return header;
}

std::string weights_file_bytes(const PackageModel& model) {
  const std::vector<std::byte> blob = constants_blob(model.memory);
  std::string bytes(reinterpret_cast<const char*>(&*model.weights), sizeof *model.weights);
  bytes.append(reinterpret_cast<const char*>(blob.data()), blob.size());
  return bytes;
}

std::string map_weights_text(const PackageModel& model) {
  return fmt::format(
      R"(/* Maps {m}.weights: for programs on POSIX systems. A mapping is read-only and shared: any number
 * of contexts, and of processes, use one copy in memory. Unmap it after the last release. */
#ifndef FRIT_PACKAGE_{m}_WEIGHTS_H
#define FRIT_PACKAGE_{m}_WEIGHTS_H

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "{m}.h"

/* Sets options->weights and options->weights_bytes. Returns 0 or a code of {m}_error_text; then
 * the options are as they were. Code {unreadable}, the file cannot be opened or mapped: errno says
 * why. Code {too_short}: the file is empty. Whether it is this package's file is for init to say. */
static inline int {m}_map_weights({m}_options* options, const char* path) {{
  struct stat facts;
  int why;
  void* start = MAP_FAILED;
  const int file = open(path, O_RDONLY);
  if (file < 0) return {unreadable};
  if (fstat(file, &facts) == 0) {{
    if (facts.st_size == 0) {{
      close(file);
      return {too_short};
    }}
    start = mmap(0, (size_t)facts.st_size, PROT_READ, MAP_PRIVATE, file, 0);
  }}
  why = errno;
  close(file);
  if (start == MAP_FAILED) {{
    errno = why;
    return {unreadable};
  }}
  options->weights = start;
  options->weights_bytes = (size_t)facts.st_size;
  return 0;
}}

static inline void {m}_unmap_weights({m}_options* options) {{
  /* munmap takes what mmap gave, which was not const. */
  if (options->weights != 0) munmap((void*)(uintptr_t)options->weights, options->weights_bytes);
  options->weights = 0;
  options->weights_bytes = 0;
}}

#endif
)",
      fmt::arg("m", model.c_name), fmt::arg("unreadable", static_cast<int>(FRIT_WEIGHTS_FILE)),
      fmt::arg("too_short", static_cast<int>(FRIT_WEIGHTS_SIZE)));
}

}  // namespace frit
