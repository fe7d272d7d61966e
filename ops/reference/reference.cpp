#include "ops/reference/reference.h"

#include <Halide.h>
#include <fmt/format.h>

#include <cstring>
#include <string>
#include <unordered_map>

#include "ops/base/assert.h"
#include "ops/base/small_float.h"
#include "ops/reference/call.h"
#include "ops/reference/tables.h"
#include "ops/register.h"

namespace frit {
namespace {

using ref::Call;
using ref::Entry;

std::unordered_map<std::string_view, Entry>& table() {
  static std::unordered_map<std::string_view, Entry> all = [] {
    std::unordered_map<std::string_view, Entry> joined;
    for (const std::span<const Entry> family : {ref::activation_entries(),
                                                ref::attention_entries(),
                                                ref::contrib_attention_entries(),
                                                ref::recurrent_entries(),
                                                ref::rotary_entries(),
                                                ref::unary_entries(),
                                                ref::binary_entries(),
                                                ref::cast_entries(),
                                                ref::conv_entries(),
                                                ref::conv_transpose_entries(),
                                                ref::deform_conv_entries(),
                                                ref::matmul_nbits_entries(),
                                                ref::max_roi_pool_entries(),
                                                ref::roi_align_entries(),
                                                ref::col2im_entries(),
                                                ref::det_entries(),
                                                ref::grid_sample_entries(),
                                                ref::dft_entries(),
                                                ref::einsum_entries(),
                                                ref::matmul_entries(),
                                                ref::pool_entries(),
                                                ref::reduce_entries(),
                                                ref::resize_entries(),
                                                ref::softmax_entries(),
                                                ref::norm_entries(),
                                                ref::lrn_entries(),
                                                ref::injective_entries(),
                                                ref::depth_space_entries(),
                                                ref::shape_entries(),
                                                ref::contrib_entries(),
                                                ref::elementary_entries(),
                                                ref::random_entries(),
                                                ref::norms_entries(),
                                                ref::loss_entries(),
                                                ref::window_entries(),
                                                ref::arg_reduce_entries(),
                                                ref::index_composite_entries(),
                                                ref::index_entries(),
                                                ref::known_value_entries(),
                                                ref::scan_entries(),
                                                ref::scatter_entries(),
                                                ref::topk_entries(),
                                                ref::qlinear_entries(),
                                                ref::quantize_entries(),
                                                ref::quantized_product_entries()}) {
      for (const Entry& entry : family) {
        const bool first = joined.emplace(entry.type, entry).second;
        FRIT_ASSERT(first, std::string(entry.type) + " has two references");
      }
    }
    return joined;
  }();
  return all;
}

const Entry* find_entry(std::string_view domain, std::string_view type) {
  const bool own = domain.empty() || domain == "ai.onnx";
  const std::string key = own ? std::string(type) : std::string(domain) + "." + std::string(type);
  const auto found = table().find(key);
  return found == table().end() ? nullptr : &found->second;
}

Status check_inputs(const Call& call, const Entry& entry) {
  std::size_t present = call.inputs.size();
  while (present > 0 && !call.has(present - 1)) --present;
  if (present > entry.max_inputs) {
    return call.refuse(
        fmt::format("has {} inputs, at most {} are defined", present, entry.max_inputs));
  }
  for (std::size_t i = 0; i < entry.min_inputs; ++i) {
    if (!call.has(i)) return call.refuse(fmt::format("input {} is missing", i));
  }
  for (std::size_t i = 0; i < present; ++i) {
    if (!call.has(i)) continue;
    const RefTensor& tensor = call.in(i);
    const std::optional<std::int64_t> count = ref::count_of(tensor.dims);
    const std::size_t held = is_float(tensor.dtype) ? tensor.real.size() : tensor.integer.size();
    if (!count || static_cast<std::size_t>(*count) != held) {
      return call.refuse(fmt::format("input {} holds {} elements but its shape is {}", i, held,
                                     dims_text(tensor.dims)));
    }
  }
  return {};
}

// What storing a result in its type does to it: rounding where that is asked for, else its bound.
void settle(const Call& call, RefTensor& tensor) {
  if (!is_float(tensor.dtype)) return;
  if (call.naive()) {
    for (double& value : tensor.real) value = ref::rounded(tensor.dtype, value);
    return;
  }
  if (!call.bounded()) return;
  // products below the smallest normal float lose their digits, or are flushed to zero
  for (double& bound : tensor.bound) {
    if (bound > 0.0 && bound < ref::kTiny) bound = ref::kTiny;
  }
  const bool half = tensor.dtype == DType::kF16;
  const bool narrow = half || tensor.dtype == DType::kBF16;
  const double largest = half ? 65504.0 : 0x1.FFFFFEp127;
  for (std::size_t i = 0; i < tensor.real.size(); ++i) {
    const double size = std::fabs(tensor.real[i]);
    const bool overflows = std::isfinite(size) && size > largest && tensor.dtype != DType::kF64;
    if (!overflows && !narrow) continue;
    if (tensor.bound.empty()) tensor.bound.assign(tensor.real.size(), 0.0);
    if (narrow) tensor.bound[i] += half ? size * 0x1p-11 + 0x1p-25 : size * 0x1p-8 + 0x1p-134;
    if (overflows) tensor.bound[i] = ref::kUnknown;
  }
}

// True where some input element cannot be judged, not even its class.
bool any_doubt(const Call& call) {
  for (const RefTensor* input : call.inputs) {
    if (input == nullptr) continue;
    for (const double bound : input->bound) {
      if (std::isinf(bound)) return true;
    }
  }
  return false;
}

// Of a finite value a bound that is NaN (0 * inf on the way) is unknown. Of a NaN or Inf the bound
// is arithmetic on infinities and says nothing: the class is certain, unless the function called it
// doubtful or an input already was. Bounds that are all zero are not kept.
void tidy_bound(RefTensor& tensor, bool doubt) {
  bool any = false;
  for (std::size_t i = 0; i < tensor.bound.size(); ++i) {
    double& bound = tensor.bound[i];
    const bool finite = tensor.real.empty() || std::isfinite(tensor.real[i]);
    if (bound < 0.0 || (std::isnan(bound) && finite)) {
      bound = ref::kUnknown;
    } else if (!finite) {
      bound = doubt && !std::isfinite(bound) ? ref::kUnknown : 0.0;
    }
    any = any || bound != 0.0;
  }
  if (!any) tensor.bound.clear();
}

}  // namespace

Result<std::vector<RefTensor>> evaluate_reference(const OpInstance& op,
                                                  std::span<const RefTensor* const> inputs,
                                                  RefPrecision precision) {
  const Call call{op, inputs, precision};
  const Entry* entry = find_entry(op.domain, op.type);
  if (entry == nullptr) return call.refuse("the reference does not know this operator");
  FRIT_TRY(check_inputs(call, *entry));
  Result<std::vector<RefTensor>> outputs = entry->function(call);
  if (!outputs) return outputs;
  const bool doubt = any_doubt(call);
  for (RefTensor& tensor : *outputs) {
    settle(call, tensor);
    tidy_bound(tensor, doubt);
  }
  return outputs;
}

bool has_reference(std::string_view domain, std::string_view type) {
  return find_entry(domain, type) != nullptr;
}

void ref::register_reference(const Entry& entry) {
  FRIT_ASSERT(table().emplace(entry.type, entry).second,
              std::string(entry.type) + " has a reference already");
}

std::int64_t RefTensor::elements() const {
  std::int64_t count = 1;
  for (const std::int64_t extent : dims) count *= extent;
  return count;
}

RefTensor RefTensor::from(const Tensor& tensor) {
  RefTensor result;
  result.dtype = tensor.dtype();
  result.dims = tensor.dims();
  if (is_float(tensor.dtype())) {
    result.real = tensor.to_doubles();
  } else {
    result.integer = tensor.to_ints();
  }
  return result;
}

namespace {

// Appends each element as T, or as what `convert` makes of it.
template <class T, class Source, class F>
Tensor pack(const RefTensor& tensor, const std::vector<Source>& elements, F convert) {
  std::vector<T> packed;
  packed.reserve(elements.size());
  for (const Source element : elements) packed.push_back(convert(element));
  return Tensor::of(tensor.dtype, tensor.dims, packed);
}

template <class T>
Tensor pack_integers(const RefTensor& tensor) {
  return pack<T>(tensor, tensor.integer, [](std::int64_t v) { return static_cast<T>(v); });
}

}  // namespace

Tensor RefTensor::to_tensor() const {
  switch (dtype) {
    case DType::kF32:
      return pack<float>(*this, real, [](double v) { return static_cast<float>(v); });
    case DType::kF64:
      return pack<double>(*this, real, [](double v) { return v; });
    case DType::kF16:
      return pack<std::uint16_t>(*this, real, [](double v) {
        return Halide::float16_t(ref::rounded(DType::kF16, v)).to_bits();
      });
    case DType::kBF16:
      return pack<std::uint16_t>(*this, real, [](double v) {
        return Halide::bfloat16_t(ref::rounded(DType::kBF16, v)).to_bits();
      });
    case DType::kI8:
      return pack_integers<std::int8_t>(*this);
    case DType::kI16:
      return pack_integers<std::int16_t>(*this);
    case DType::kI32:
      return pack_integers<std::int32_t>(*this);
    case DType::kI64:
      return pack_integers<std::int64_t>(*this);
    case DType::kU8:
      return pack_integers<std::uint8_t>(*this);
    case DType::kU16:
      return pack_integers<std::uint16_t>(*this);
    case DType::kU32:
      return pack_integers<std::uint32_t>(*this);
    case DType::kU64:
      return pack_integers<std::uint64_t>(*this);
    case DType::kBool:
      return pack<std::uint8_t>(*this, integer,
                                [](std::int64_t v) { return static_cast<std::uint8_t>(v != 0); });
    case DType::kI4:
    case DType::kI2:
      return pack_integers<std::int8_t>(*this);
    case DType::kU4:
    case DType::kU2:
      return pack_integers<std::uint8_t>(*this);
    default:
      return pack<std::uint8_t>(*this, real,
                                [this](double v) { return small_float_code(dtype, v); });
  }
}

}  // namespace frit
