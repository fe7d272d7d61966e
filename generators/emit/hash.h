// SHA-256 of a text or of bytes, in hexadecimal. Used as the address of cached kernels.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace frit {

std::string sha256(std::string_view text);
std::string sha256(std::span<const std::byte> bytes);
/// Of a file's bytes; "" where it cannot be read.
std::string sha256_of_file(const std::string& path);

}  // namespace frit
