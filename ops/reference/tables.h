// The families of the reference, each a table of entries. Only reference.cpp includes this, so that
// a new family recompiles no other.
#pragma once

#include <span>

#include "ops/reference/call.h"

namespace frit::ref {

std::span<const Entry> activation_entries();      ///< activations.cpp: Celu, …
std::span<const Entry> attention_entries();       ///< attention.cpp: Attention, FlexAttention
std::span<const Entry> contrib_attention_entries();  ///< contrib_attention.cpp: com.microsoft
std::span<const Entry> recurrent_entries();  ///< recurrent.cpp: LinearAttention, …
std::span<const Entry> rotary_entries();     ///< rotary.cpp: RotaryEmbedding
std::span<const Entry> unary_entries();           ///< unary.cpp: Relu, Sigmoid, Erf, …
std::span<const Entry> binary_entries();          ///< binary.cpp: Add, Less, Where, …
std::span<const Entry> cast_entries();            ///< cast.cpp: Cast
std::span<const Entry> contrib_entries();         ///< contrib.cpp: Hardmax, com.microsoft
std::span<const Entry> conv_entries();            ///< conv.cpp
std::span<const Entry> conv_transpose_entries();  ///< conv_transpose.cpp
std::span<const Entry> col2im_entries();          ///< col2im.cpp
std::span<const Entry> deform_conv_entries();     ///< deform_conv.cpp
std::span<const Entry> det_entries();             ///< det.cpp
std::span<const Entry> dft_entries();             ///< dft.cpp: DFT, STFT
std::span<const Entry> einsum_entries();          ///< einsum.cpp
std::span<const Entry> grid_sample_entries();     ///< grid_sample.cpp: GridSample, AffineGrid
std::span<const Entry> elementary_entries();      ///< elementary.cpp: Sin, Asinh, IsNaN, …
std::span<const Entry> arg_reduce_entries();      ///< arg_reduce.cpp: ArgMax, ArgMin, OrderKey
std::span<const Entry> index_composite_entries();  ///< index_composites.cpp: OneHot, EyeLike, …
std::span<const Entry> index_entries();           ///< indices.cpp: GatherElements, Trilu, …
std::span<const Entry> known_value_entries();     ///< known_values.cpp: NonZero, Unique
std::span<const Entry> scan_entries();            ///< scan.cpp: CumSum, CumProd
std::span<const Entry> scatter_entries();         ///< scatter.cpp: Scatter, ScatterElements, ScatterND
std::span<const Entry> topk_entries();            ///< topk.cpp: TopK, TopKIndices
std::span<const Entry> matmul_entries();          ///< matmul.cpp: MatMul, Gemm
std::span<const Entry> pool_entries();            ///< pool.cpp
std::span<const Entry> qlinear_entries();         ///< qlinear.cpp: com.microsoft's QLinearAdd, …
std::span<const Entry> quantize_entries();        ///< quantize.cpp: QuantizeLinear, …
/// quantized_products.cpp: MatMulInteger, QLinearConv, …
std::span<const Entry> quantized_product_entries();
std::span<const Entry> random_entries();          ///< random.cpp: Dropout, Bernoulli, …
std::span<const Entry> resize_entries();          ///< resize.cpp: Resize, Upsample
std::span<const Entry> reduce_entries();          ///< reduce.cpp
std::span<const Entry> matmul_nbits_entries();    ///< matmul_nbits.cpp
std::span<const Entry> max_roi_pool_entries();    ///< max_roi_pool.cpp
std::span<const Entry> roi_align_entries();       ///< roi_align.cpp
std::span<const Entry> softmax_entries();         ///< softmax.cpp
std::span<const Entry> loss_entries();            ///< losses.cpp
std::span<const Entry> lrn_entries();             ///< lrn.cpp
std::span<const Entry> norm_entries();         ///< norm.cpp: BatchNormalization, LayerNormalization
std::span<const Entry> norms_entries();        ///< norms.cpp: InstanceNormalization, …
std::span<const Entry> injective_entries();    ///< injective.cpp: Reshape, Transpose, Slice, …
std::span<const Entry> depth_space_entries();  ///< depth_space.cpp: DepthToSpace, SpaceToDepth
std::span<const Entry> shape_entries();        ///< shape.cpp: Shape, Range, Constant, …
std::span<const Entry> window_entries();       ///< windows.cpp: HannWindow, MelWeightMatrix, …

}  // namespace frit::ref
