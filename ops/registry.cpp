// The table of operators. Each family offers its classes through one function.
#include <algorithm>

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
#include "ops/reshape.h"
#include "ops/resize.h"
#include "ops/shape.h"
#include "ops/slice.h"
#include "ops/split.h"
#include "ops/transpose.h"

namespace frit {

const std::vector<const Operator*>& all_operators() {
  static const std::vector<const Operator*> operators = [] {
    std::vector<const Operator*> all;
    add_pointwise(all);
    add_activations(all);
    add_binary(all);
    add_batch_norm(all);
    add_concat(all);
    add_conv(all);
    add_conv_transpose(all);
    add_depth_space(all);
    add_einsum(all);
    add_expand(all);
    add_gather(all);
    add_gemm(all);
    add_global_pool(all);
    add_lrn(all);
    add_matmul(all);
    add_pad(all);
    add_pool(all);
    add_reshape(all);
    add_resize(all);
    add_shape(all);
    add_slice(all);
    add_split(all);
    add_transpose(all);
    add_reduce(all);
    add_softmax(all);
    add_layer_norm(all);
    std::sort(all.begin(), all.end(), [](const Operator* a, const Operator* b) {
      return std::pair(a->domain(), a->type()) < std::pair(b->domain(), b->type());
    });
    return all;
  }();
  return operators;
}

const Operator* find_operator(std::string_view domain, std::string_view type) {
  for (const Operator* op : all_operators()) {
    if (op->type() == type && op->domain() == domain) return op;
  }
  return nullptr;
}

}  // namespace frit
