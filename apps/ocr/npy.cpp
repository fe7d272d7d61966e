#include "apps/ocr/npy.h"

#include <cerrno>
#include <cstdio>
#include <cstring>

namespace ocr {

std::string write_npy(const std::string& path, const std::vector<int>& shape,
                      const std::vector<float>& values) {
  std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (";
  for (const int length : shape) header += std::to_string(length) + ",";
  header += "), }";
  // Magic, version and length take 10 bytes; the whole header is a multiple of 64, '\n' last.
  header.resize((header.size() + 10 + 64) / 64 * 64 - 11, ' ');
  header += '\n';
  std::string start = "\x93NUMPY\x01";
  start += '\0';
  start += static_cast<char>(header.size() % 256);
  start += static_cast<char>(header.size() / 256);
  start += header;
  std::FILE* const stream = std::fopen(path.c_str(), "wb");
  if (stream == nullptr) return std::strerror(errno);
  bool whole = std::fwrite(start.data(), 1, start.size(), stream) == start.size();
  whole =
      std::fwrite(values.data(), sizeof(float), values.size(), stream) == values.size() && whole;
  return std::fclose(stream) == 0 && whole ? "" : "not all of it could be written";
}

}  // namespace ocr
