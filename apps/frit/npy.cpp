#include "apps/frit/npy.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "ops/base/output_file.h"

namespace frit {

namespace {

constexpr std::string_view kMagic = "\x93NUMPY";

constexpr std::array<std::pair<std::string_view, DType>, 25> kTypes = {{
    {"<f4", DType::kF32},
    {"<f8", DType::kF64},
    {"<f2", DType::kF16},
    {"<u2", DType::kU16},
    {"|i1", DType::kI8},
    {"<i2", DType::kI16},
    {"<i4", DType::kI32},
    {"<i8", DType::kI64},
    {"|u1", DType::kU8},
    {"<u4", DType::kU32},
    {"<u8", DType::kU64},
    {"|b1", DType::kBool},
    // Names of integers that stand for what NumPy lacks; read as the first type of the name.
    {"<u2", DType::kBF16},
    {"|u1", DType::kF8E4M3FN},
    {"|u1", DType::kF8E4M3FNUZ},
    {"|u1", DType::kF8E5M2},
    {"|u1", DType::kF8E5M2FNUZ},
    {"|u1", DType::kF8E8M0},
    {"|u1", DType::kF6E2M3},
    {"|u1", DType::kF6E3M2},
    {"|u1", DType::kF4E2M1},
    {"|u1", DType::kU4},
    {"|u1", DType::kU2},
    {"|i1", DType::kI4},
    {"|i1", DType::kI2},
}};

struct Header {
  std::string_view descr;
  bool fortran_order = false;
  std::vector<std::int64_t> dims;
};

/// The text after `'key':` in the header's dictionary, without leading blanks.
std::optional<std::string_view> after_key(std::string_view header, std::string_view key) {
  const std::size_t at = header.find(key);
  if (at == std::string_view::npos) return std::nullopt;
  const std::size_t colon = header.find(':', at + key.size());
  if (colon == std::string_view::npos) return std::nullopt;
  const std::size_t first = header.find_first_not_of(' ', colon + 1);
  if (first == std::string_view::npos) return std::nullopt;
  return header.substr(first);
}

std::optional<std::vector<std::int64_t>> parse_tuple(std::string_view text) {
  const std::size_t close = text.find(')');
  if (text.empty() || text.front() != '(' || close == std::string_view::npos) return std::nullopt;
  std::vector<std::int64_t> dims;
  std::string_view rest = text.substr(1, close - 1);
  while (true) {
    const std::size_t first = rest.find_first_not_of(", ");
    if (first == std::string_view::npos) return dims;
    rest.remove_prefix(first);
    std::int64_t dim = 0;
    const auto [end, fault] = std::from_chars(rest.data(), rest.data() + rest.size(), dim);
    if (fault != std::errc() || dim < 0) return std::nullopt;
    dims.push_back(dim);
    rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
  }
}

std::optional<Header> parse_header(std::string_view text) {
  const auto descr = after_key(text, "'descr'");
  const auto order = after_key(text, "'fortran_order'");
  const auto shape = after_key(text, "'shape'");
  if (!descr || !order || !shape || descr->size() < 2 || descr->front() != '\'') {
    return std::nullopt;
  }
  const std::size_t quote = descr->find('\'', 1);
  auto dims = parse_tuple(*shape);
  if (quote == std::string_view::npos || !dims) return std::nullopt;
  return Header{descr->substr(1, quote - 1), order->starts_with("True"), std::move(*dims)};
}

std::optional<DType> dtype_of(std::string_view descr) {
  for (const auto& [name, dtype] : kTypes) {
    if (name == descr) return dtype;
  }
  return std::nullopt;
}

/// Bytes that the header promises; nullopt where that overflows.
std::optional<std::size_t> promised_bytes(const Header& header, DType dtype) {
  std::int64_t total = size_bytes(dtype);
  for (const std::int64_t dim : header.dims) {
    if (dim != 0 && total > std::numeric_limits<std::int64_t>::max() / dim) return std::nullopt;
    total *= dim;
  }
  return static_cast<std::size_t>(total);
}

tl::unexpected<Diagnostic> bad(const std::string& path, const std::string& what) {
  return fail("input-npy", fmt::format("'{}': {}", path, what));
}

/// Bytes before the header text and its length.
std::optional<std::pair<std::size_t, std::size_t>> header_span(std::string_view content) {
  if (!content.starts_with(kMagic) || content.size() < 10) return std::nullopt;
  const auto byte = [&](std::size_t i) {
    return static_cast<std::size_t>(static_cast<unsigned char>(content[i]));
  };
  if (byte(6) == 1) return std::pair{std::size_t{10}, byte(8) | byte(9) << 8};
  if (content.size() < 12) return std::nullopt;
  return std::pair{std::size_t{12}, byte(8) | byte(9) << 8 | byte(10) << 16 | byte(11) << 24};
}

}  // namespace

Tensor named_as(Tensor tensor, DType dtype) {
  const DType held = tensor.dtype();
  const auto name_for = [](DType type) {
    const auto found = std::find_if(kTypes.begin(), kTypes.end(),
                                    [&](const auto& entry) { return entry.second == type; });
    return found->first;
  };
  if (held == dtype || name_for(held) != name_for(dtype) || dtype_of(name_for(dtype)) != held) {
    return tensor;
  }
  if (is_storage_only(dtype) && packed_bits(dtype) < 8) {
    const bool is_signed = held == DType::kI8;
    const std::int64_t count = std::int64_t{1} << packed_bits(dtype);
    const std::int64_t low = is_signed ? -count / 2 : 0;
    for (const std::int64_t value : tensor.to_ints()) {
      if (value < low || value >= low + count) return tensor;  // no element of that type
    }
  }
  const auto bytes = tensor.bytes();
  return Tensor(dtype, tensor.dims(),
                std::make_shared<const std::vector<std::byte>>(bytes.begin(), bytes.end()));
}

Result<Tensor> read_npy(const std::string& path) {
  std::error_code ignored;
  std::ifstream stream;  // opening a pipe would wait for its writer
  if (std::filesystem::is_regular_file(path, ignored)) stream.open(path, std::ios::binary);
  if (!stream.is_open()) return bad(path, "cannot be read; name an existing .npy file");
  const std::string content((std::istreambuf_iterator<char>(stream)),
                            std::istreambuf_iterator<char>());
  return parse_npy(content, path);
}

Result<Tensor> parse_npy(std::string_view content, const std::string& path) {
  const auto span = header_span(content);
  if (!span || span->first + span->second > content.size()) {
    return bad(path, "is not an .npy file; write it with numpy.save");
  }
  const auto header = parse_header(content.substr(span->first, span->second));
  if (!header) return bad(path, "its .npy header cannot be read; write it with numpy.save");
  const auto dtype = dtype_of(header->descr);
  if (!dtype) {
    return bad(path, fmt::format("element type '{}' is not supported; convert it with .astype",
                                 header->descr));
  }
  if (header->fortran_order && header->dims.size() > 1) {
    return bad(path, "is in Fortran order; save numpy.ascontiguousarray of it");
  }
  const std::size_t first = span->first + span->second;
  const auto promised = promised_bytes(*header, *dtype);
  if (!promised || *promised != content.size() - first) {
    return bad(path, fmt::format("{} of '{}' needs {} bytes but the file holds {}; save it again",
                                 dims_text(header->dims), header->descr,
                                 promised ? std::to_string(*promised) : "too many",
                                 content.size() - first));
  }
  auto bytes = std::make_shared<std::vector<std::byte>>(*promised);
  if (*promised > 0) std::memcpy(bytes->data(), content.data() + first, *promised);
  return Tensor(*dtype, header->dims, std::move(bytes));
}

std::string npy_bytes(const Tensor& tensor) {
  std::string_view descr;
  for (const auto& [name, dtype] : kTypes) {
    if (dtype == tensor.dtype()) descr = name;
  }
  std::string shape;
  for (const std::int64_t dim : tensor.dims()) shape += fmt::format("{}, ", dim);
  if (tensor.rank() > 1) shape.resize(shape.size() - 2);
  if (tensor.rank() == 1) shape.pop_back();
  std::string text =
      fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}", descr, shape);
  // The format asks that data starts at a multiple of 64.
  text.append(63 - (10 + text.size()) % 64, ' ');
  text += '\n';
  std::string content(kMagic);
  content +=
      {'\x01', '\0', static_cast<char>(text.size() & 0xff), static_cast<char>(text.size() >> 8)};
  content += text;
  const auto bytes = tensor.bytes();
  content.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  return content;
}

Status write_npy(const std::string& path, const Tensor& tensor) {
  const std::string fault = write_whole(path, npy_bytes(tensor));
  if (!fault.empty()) return fail("run-npy", fault);
  return {};
}

}  // namespace frit
