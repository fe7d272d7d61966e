// JSON that frit reads: reports of packages (frit bench), and the cache's records of kernels.
#include <nlohmann/json.hpp>

#include "apps/frit/package_facts.h"
#include "generators/emit/kernel_json.h"
#include "tests/fuzz/must.h"

namespace frit::testing {
namespace {

void read_report(std::string_view text, const std::string& level) {
  const auto facts = parse_report(text, "m.report.json", "folder", level);
  if (!facts) return must_speak({facts.error()});
  must(!facts->c_name.empty() && facts->c_name.find('/') == std::string::npos,
       "a name that leaves the folder");
  must(facts->weights_file.find('/') == std::string::npos, "weights outside the folder");
  must(facts->threads >= 1, "no thread");
  for (const auto* types : {&facts->inputs, &facts->outputs}) {
    for (const TensorType& type : *types) must(type.bytes() >= 0, "a tensor of negative size");
  }
}

void read_record(std::string_view text) {
  const auto json = nlohmann::json::parse(text, nullptr, false);
  Kernel kernel;
  try {
    kernel = kernel_from_json(json);
  } catch (const std::exception&) {
    return;  // which the emitter takes for a damaged entry
  }
  // Texts may be no UTF-8 after all; those that are come back alike.
  const std::string written =
      kernel_to_json(kernel).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  const Kernel again = kernel_from_json(nlohmann::json::parse(written));
  must(kernel_to_json(again).dump() == written, "a record as written reads as another");
}

}  // namespace
}  // namespace frit::testing

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  frit::testing::read_report(text, "");
  frit::testing::read_report(text, "avx2");
  frit::testing::read_record(text);
  return 0;
}
