#include "ops/norm_parts.h"

#include <fmt/format.h>

#include "ops/rules.h"

namespace frit {

Ref cast_to(Expansion& to, Ref x, DType dtype) {
  if (to.type(x).dtype == dtype) return x;
  return to.node("Cast", {x}, {{"to", onnx_number(dtype)}});
}

Ref widened(Expansion& to, Ref x) {
  return to.type(x).dtype == DType::kF64 ? x : cast_to(to, x, DType::kF32);
}

Ref reshaped(Expansion& to, Ref x, const std::vector<std::int64_t>& dims) {
  return to.node("Reshape", {x, to.ints(dims)}, {{"allowzero", std::int64_t{1}}});
}

Moments moments(Expansion& to, Ref x, const std::vector<std::int64_t>& axes) {
  const Ref list = to.ints(axes);
  Moments m;
  m.mean = to.node("ReduceMean", {x, list});
  m.centred = to.node("Sub", {x, m.mean});
  m.variance = to.node("ReduceMean", {to.node("Mul", {m.centred, m.centred}), list});
  return m;
}

Status check_stash_type(const OpInstance& op) {
  const std::int64_t stash = int_attribute(op.attributes, "stash_type", 1);
  if (stash == 1 || stash == 11) return {};
  return fail("onnx-attribute",
              fmt::format("{}: stash_type is {} but frit computes statistics in float32 (1) or "
                          "wider; set stash_type to 1",
                          label(op), stash));
}

}  // namespace frit
