// Bytes of an .npy file -> a tensor, its values, and back.
#include "apps/frit/npy.h"
#include "tests/fuzz/must.h"

namespace frit::testing {
namespace {

void read(std::string_view bytes) {
  const auto tensor = parse_npy(bytes, "file.npy");
  if (!tensor) return must_speak({tensor.error()});
  must(tensor->elements() * size_bytes(tensor->dtype()) ==
           static_cast<std::int64_t>(tensor->bytes().size()),
       "a tensor of another size than its type");
  must(static_cast<std::int64_t>(tensor->to_doubles().size()) == tensor->elements(),
       "another number of values");
  tensor->to_ints();
  const std::string written = npy_bytes(*tensor);
  const auto again = parse_npy(written, "again.npy");
  must(again.has_value(), "a tensor as written is refused");
  must(again->type() == tensor->type() && npy_bytes(*again) == written,
       "a tensor as written reads as another");
}

}  // namespace
}  // namespace frit::testing

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  frit::testing::read({reinterpret_cast<const char*>(data), size});
  return 0;
}
