#include "apps/ocr/npy.h"

#include "ops/base/output_file.h"

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
  const std::size_t bytes = values.size() * sizeof(float);
  start.append(reinterpret_cast<const char*>(values.data()), bytes);
  return frit::write_whole(path, start);
}

}  // namespace ocr
