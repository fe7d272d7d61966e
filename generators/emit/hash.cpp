#include "generators/emit/hash.h"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "ops/base/assert.h"

namespace frit {

std::string sha256(std::string_view text) {
  std::array<unsigned char, 32> digest{};
  unsigned int length = 0;
  const int done =
      EVP_Digest(text.data(), text.size(), digest.data(), &length, EVP_sha256(), nullptr);
  FRIT_ASSERT(done == 1 && length == digest.size(), "SHA-256 is not available in libcrypto");
  std::string hex;
  for (const unsigned char byte : digest) hex += fmt::format("{:02x}", byte);
  return hex;
}

std::string sha256(std::span<const std::byte> bytes) {
  return sha256(std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
}

std::string sha256_of_file(const std::string& path) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return "";
  std::ifstream file(path, std::ios::binary);
  std::ostringstream bytes;
  bytes << file.rdbuf();
  return file && bytes ? sha256(bytes.view()) : "";
}

}  // namespace frit
