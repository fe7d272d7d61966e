// The families of operators without a header of their own: each `.cpp` of this folder that defines
// some offers them here, or in its header, on one line, and is called by registry.cpp. Only that
// file includes this one, so that a new family recompiles no other. The objects live for ever and
// hold no state.
#pragma once

#include <vector>

#include "ops/operator.h"

namespace frit {

void add_activations(std::vector<const Operator*>& all);
void add_attention(std::vector<const Operator*>& all);
void add_causal_conv(std::vector<const Operator*>& all);
void add_contrib_attention(std::vector<const Operator*>& all);
void add_affine_grid(std::vector<const Operator*>& all);
void add_bits(std::vector<const Operator*>& all);
void add_cast(std::vector<const Operator*>& all);
void add_col2im(std::vector<const Operator*>& all);
void add_deform_conv(std::vector<const Operator*>& all);
void add_det(std::vector<const Operator*>& all);
void add_dft(std::vector<const Operator*>& all);
void add_einsum(std::vector<const Operator*>& all);
void add_grid_sample(std::vector<const Operator*>& all);
void add_max_unpool(std::vector<const Operator*>& all);
void add_contrib(std::vector<const Operator*>& all);
void add_elementary(std::vector<const Operator*>& all);
void add_hardmax(std::vector<const Operator*>& all);
void add_arg_reduce(std::vector<const Operator*>& all);
void add_gather_nd(std::vector<const Operator*>& all);
void add_index_composites(std::vector<const Operator*>& all);
void add_flex_attention(std::vector<const Operator*>& all);
void add_group_query(std::vector<const Operator*>& all);
void add_linear_attention(std::vector<const Operator*>& all);
void add_pointwise(std::vector<const Operator*>& all);
void add_positions(std::vector<const Operator*>& all);
void add_binary(std::vector<const Operator*>& all);
void add_random(std::vector<const Operator*>& all);
void add_rotary(std::vector<const Operator*>& all);
void add_reduce(std::vector<const Operator*>& all);
void add_matmul_nbits(std::vector<const Operator*>& all);
void add_max_roi_pool(std::vector<const Operator*>& all);
void add_roi_align(std::vector<const Operator*>& all);
void add_scan(std::vector<const Operator*>& all);
void add_scatter(std::vector<const Operator*>& all);
void add_softmax(std::vector<const Operator*>& all);
void add_windows(std::vector<const Operator*>& all);
void add_layer_norm(std::vector<const Operator*>& all);
void add_losses(std::vector<const Operator*>& all);
void add_norms(std::vector<const Operator*>& all);
void add_known_values(std::vector<const Operator*>& all);
void add_topk(std::vector<const Operator*>& all);
/// Max, Min, Mean, Sum.
void add_variadic(std::vector<const Operator*>& all);

}  // namespace frit
