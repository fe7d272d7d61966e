#include "generators/onnx/external_data.h"

#include <fmt/format.h>
#include <onnx.pb.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <optional>

#include "generators/onnx/names.h"

namespace frit {
namespace {

namespace fs = std::filesystem;

tl::unexpected<Diagnostic> refuse(const std::string& what, const std::string& why) {
  return fail("onnx-external-data", fmt::format("{}: {}", what, why));
}

// The whole of `text` as a number >= 0.
std::optional<std::int64_t> whole_number(const std::string& text) {
  std::int64_t number = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (fault != std::errc() || end != text.data() + text.size() || number < 0) return std::nullopt;
  return number;
}

struct Window {
  std::string location;
  std::int64_t offset = 0;
  std::optional<std::int64_t> length;
};

Result<Window> window_of(const onnx::TensorProto& tensor, const std::string& what) {
  Window window;
  for (const auto& entry : tensor.external_data()) {
    if (entry.key() == "location") window.location = entry.value();
    if (entry.key() != "offset" && entry.key() != "length") continue;
    const std::optional<std::int64_t> number = whole_number(entry.value());
    if (!number) {
      return refuse(what, fmt::format("its external data has the {} {}, which is no whole number; "
                                      "save the model and its data again",
                                      entry.key(), quoted_name(entry.value())));
    }
    if (entry.key() == "offset") window.offset = *number;
    if (entry.key() == "length") window.length = *number;
  }
  if (window.location.empty())
    return refuse(what, "its external data has no location; save the model and its data again");
  return window;
}

bool leads_out(const fs::path& location) {
  return location.is_absolute() || location.has_root_name() ||
         std::find(location.begin(), location.end(), fs::path("..")) != location.end();
}

// Whether `file`, links resolved, still lies under `folder`.
bool lies_under(const fs::path& file, const fs::path& folder) {
  std::error_code fault;
  const fs::path real_folder = fs::canonical(folder.empty() ? fs::path(".") : folder, fault);
  if (fault) return false;
  const fs::path real_file = fs::canonical(file, fault);
  if (fault) return false;
  return std::mismatch(real_folder.begin(), real_folder.end(), real_file.begin(), real_file.end())
             .first == real_folder.end();
}

}  // namespace

Result<ExternalData::Opened*> ExternalData::open(const std::string& location,
                                                 const std::string& what) {
  if (const auto known = files_.find(location); known != files_.end()) return &known->second;
  if (location.find('\0') != std::string::npos || leads_out(location)) {
    return refuse(what, fmt::format("its external data is at {}, outside the model's folder; put "
                                    "the file beside the model and give a relative location",
                                    quoted_name(location)));
  }
  Opened opened{folder_ / location, 0, 0};
  std::error_code fault;
  if (!fs::exists(opened.path, fault)) {
    return refuse(what, fmt::format("its external data file {} does not exist; it must lie beside "
                                    "the model",
                                    quoted_name(location)));
  }
  if (!lies_under(opened.path, folder_)) {
    return refuse(what, fmt::format("its external data {} is a link out of the model's folder; "
                                    "put the file itself beside the model",
                                    quoted_name(location)));
  }
  if (!fs::is_regular_file(opened.path, fault)) {
    return refuse(what,
                  fmt::format("its external data {} is not a regular file; put the data file there",
                              quoted_name(location)));
  }
  opened.size = static_cast<std::int64_t>(fs::file_size(opened.path, fault));
  if (fault)
    return refuse(what,
                  fmt::format("cannot read {}; check its permissions", quoted_name(location)));
  return &files_.emplace(location, opened).first->second;
}

Result<std::shared_ptr<const std::vector<std::byte>>> ExternalData::read(
    const onnx::TensorProto& tensor, std::int64_t size, const std::string& what) {
  const Result<Window> window = window_of(tensor, what);
  if (!window) return fail(window.error());
  if (window->length && *window->length != size) {
    return refuse(what, fmt::format("its shape needs {} bytes but its external data has length {}; "
                                    "save the model and its data again",
                                    size, *window->length));
  }
  const auto key = std::tuple(window->location, window->offset, size);
  if (const auto known = windows_.find(key); known != windows_.end()) return known->second;
  const Result<Opened*> opened = open(window->location, what);
  if (!opened) return fail(opened.error());
  Opened& file = **opened;
  if (size > file.size || window->offset > file.size - size) {
    return refuse(what, fmt::format("it is bytes {} to {} of {}, which has {} bytes; bring the "
                                    "data file that belongs to the model",
                                    window->offset,
                                    static_cast<std::uint64_t>(window->offset) +
                                        static_cast<std::uint64_t>(size),
                                    quoted_name(window->location), file.size));
  }
  if (file.read + size > 4 * file.size) {
    return refuse(what, fmt::format("tensors over {} overlap to more than four times its {} bytes; "
                                    "save the model and its data again",
                                    quoted_name(window->location), file.size));
  }
  file.read += size;
  auto bytes = std::make_shared<std::vector<std::byte>>(static_cast<std::size_t>(size));
  std::ifstream stream(file.path, std::ios::binary);
  stream.seekg(window->offset);
  if (size > 0 && !stream.read(reinterpret_cast<char*>(bytes->data()), size)) {
    return refuse(what,
                  fmt::format("cannot read {}; check the disk", quoted_name(window->location)));
  }
  windows_.emplace(key, bytes);
  return std::shared_ptr<const std::vector<std::byte>>(std::move(bytes));
}

}  // namespace frit
