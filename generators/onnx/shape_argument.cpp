#include "generators/onnx/shape_argument.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>

#include "generators/onnx/names.h"

namespace frit {

Result<std::pair<std::string, std::vector<std::int64_t>>> parse_shape_argument(
    std::string_view text) {
  const auto refuse = [&](std::string_view why) {
    return fail("shape-option", fmt::format("--shape {}: {}; write name:1x3x48x320",
                                            quoted_name(std::string(text)), why));
  };
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return refuse("there is no ':' after the input's name");
  std::pair<std::string, std::vector<std::int64_t>> result;
  result.first = text.substr(0, colon);
  std::string_view rest = text.substr(colon + 1);
  while (!rest.empty()) {
    std::int64_t extent = 0;
    const auto [end, fault] = std::from_chars(rest.data(), rest.data() + rest.size(), extent);
    if (fault != std::errc() || extent < 0) return refuse("an extent is not a whole number");
    result.second.push_back(extent);
    rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
    if (rest.empty()) break;
    if (rest.front() != 'x' || rest.size() == 1) return refuse("extents are parted by 'x'");
    rest.remove_prefix(1);
  }
  return result;
}

std::string shape_argument_text(const std::vector<std::int64_t>& dims) {
  return fmt::format("{}", fmt::join(dims, "x"));
}

}  // namespace frit
