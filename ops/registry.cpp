// The table of operators. Each family offers its classes through one function.
#include <algorithm>
#include <map>
#include <utility>

#include "ops/base/assert.h"
#include "ops/batch_norm.h"
#include "ops/concat.h"
#include "ops/conv.h"
#include "ops/conv_transpose.h"
#include "ops/depth_space.h"
#include "ops/expand.h"
#include "ops/families.h"
#include "ops/gather.h"
#include "ops/gemm.h"
#include "ops/global_pool.h"
#include "ops/lrn.h"
#include "ops/matmul.h"
#include "ops/operator.h"
#include "ops/pad.h"
#include "ops/pool.h"
#include "ops/quantize.h"
#include "ops/register.h"
#include "ops/reshape.h"
#include "ops/resize.h"
#include "ops/shape.h"
#include "ops/slice.h"
#include "ops/split.h"
#include "ops/transpose.h"

namespace frit {

namespace {

using Name = std::pair<std::string_view, std::string_view>;  // domain, type

Name name_of(const Operator* op) { return {op->domain(), op->type()}; }

std::vector<const Operator*> shipped_operators() {
  std::vector<const Operator*> all;
  add_pointwise(all);
  add_activations(all);
  add_attention(all);
  add_arg_reduce(all);
  add_binary(all);
  add_affine_grid(all);
  add_bits(all);
  add_cast(all);
  add_batch_norm(all);
  add_causal_conv(all);
  add_col2im(all);
  add_concat(all);
  add_contrib_attention(all);
  add_contrib(all);
  add_conv(all);
  add_conv_transpose(all);
  add_deform_conv(all);
  add_depth_space(all);
  add_det(all);
  add_dft(all);
  add_einsum(all);
  add_elementary(all);
  add_expand(all);
  add_flex_attention(all);
  add_gather(all);
  add_gather_nd(all);
  add_gemm(all);
  add_global_pool(all);
  add_group_query(all);
  add_linear_attention(all);
  add_grid_sample(all);
  add_index_composites(all);
  add_known_values(all);
  add_lrn(all);
  add_matmul(all);
  add_matmul_nbits(all);
  add_max_roi_pool(all);
  add_max_unpool(all);
  add_hardmax(all);
  add_losses(all);
  add_norms(all);
  add_pad(all);
  add_pool(all);
  add_qlinear(all);
  add_quantize(all);
  add_quantized_products(all);
  add_random(all);
  add_positions(all);
  add_reshape(all);
  add_resize(all);
  add_rotary(all);
  add_roi_align(all);
  add_scan(all);
  add_scatter(all);
  add_shape(all);
  add_slice(all);
  add_split(all);
  add_topk(all);
  add_transpose(all);
  add_variadic(all);
  add_reduce(all);
  add_softmax(all);
  add_layer_norm(all);
  add_windows(all);
  return all;
}

/// All operators, sorted for people and by name for look-ups.
struct Registry {
  std::vector<const Operator*> sorted = shipped_operators();
  std::map<Name, const Operator*> by_name;
  bool has_own = false;

  Registry() {
    sort();
    for (const Operator* op : sorted) {
      FRIT_ASSERT(by_name.emplace(name_of(op), op).second,
                  std::string(op->type()) + " is listed twice");
    }
  }
  void sort() {
    std::sort(sorted.begin(), sorted.end(),
              [](const Operator* a, const Operator* b) { return name_of(a) < name_of(b); });
  }
};

Registry& registry() {
  static Registry all;
  return all;
}

}  // namespace

const std::vector<const Operator*>& all_operators() { return registry().sorted; }

const Operator* find_operator(std::string_view domain, std::string_view type) {
  const auto found = registry().by_name.find({domain, type});
  return found == registry().by_name.end() ? nullptr : found->second;
}

void register_operator(const Operator& op) {
  Registry& all = registry();
  FRIT_ASSERT(!op.domain().empty(), "an operator of one's own has a domain of one's own");
  FRIT_ASSERT(all.by_name.emplace(name_of(&op), &op).second,
              std::string(op.type()) + " is registered twice");
  all.sorted.push_back(&op);
  all.sort();
  all.has_own = true;
}

bool has_registered_operators() { return registry().has_own; }

}  // namespace frit
