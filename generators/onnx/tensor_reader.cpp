#include "generators/onnx/tensor_reader.h"

#include <fmt/format.h>
#include <onnx.pb.h>

#include <algorithm>
#include <cstring>
#include <optional>

#include "generators/graph/limits.h"
#include "generators/onnx/dtypes.h"
#include "generators/onnx/external_data.h"
#include "generators/onnx/names.h"

namespace frit {
namespace {

using Bytes = std::vector<std::byte>;

// Values of a typed field, each narrowed to the element type it stands for.
template <class Element, class Field>
Bytes packed(const Field& field) {
  Bytes bytes(static_cast<std::size_t>(field.size()) * sizeof(Element));
  std::byte* at = bytes.data();
  for (const auto value : field) {
    const auto element = static_cast<Element>(value);
    std::memcpy(at, &element, sizeof(Element));
    at += sizeof(Element);
  }
  return bytes;
}

// The typed field that onnx.proto gives to each element type; 16-bit floats stand as their bits.
Bytes typed_values(const onnx::TensorProto& proto, DType dtype) {
  switch (dtype) {
    case DType::kF32:
      return packed<float>(proto.float_data());
    case DType::kF64:
      return packed<double>(proto.double_data());
    case DType::kI64:
      return packed<std::int64_t>(proto.int64_data());
    case DType::kU64:
      return packed<std::uint64_t>(proto.uint64_data());
    case DType::kU32:
      return packed<std::uint32_t>(proto.uint64_data());
    case DType::kI32:
      return packed<std::int32_t>(proto.int32_data());
    case DType::kI16:
      return packed<std::int16_t>(proto.int32_data());
    case DType::kI8:
      return packed<std::int8_t>(proto.int32_data());
    case DType::kU16:
    case DType::kF16:
    case DType::kBF16:
      return packed<std::uint16_t>(proto.int32_data());
    case DType::kBool:
      return packed<bool>(proto.int32_data());
    default:  // u8 and every storage type: those of 4 and 2 bits stand packed, as in raw data
      return packed<std::uint8_t>(proto.int32_data());
  }
}

Bytes raw_values(const onnx::TensorProto& proto) {
  const std::string& raw = proto.raw_data();
  Bytes bytes(raw.size());
  std::memcpy(bytes.data(), raw.data(), raw.size());
  return bytes;
}

// Elements of fewer than 8 bits lie one after the other from the low bit of the first byte on.
Bytes unpacked(const Bytes& packed, DType dtype, std::int64_t elements) {
  const int bits = packed_bits(dtype);
  const int sign = dtype == DType::kI4 || dtype == DType::kI2 ? 1 << (bits - 1) : 0;
  Bytes result(static_cast<std::size_t>(elements));
  for (std::size_t i = 0; i < result.size(); ++i) {
    const std::size_t first = i * static_cast<std::size_t>(bits);
    const std::size_t at = first / 8;
    int word = std::to_integer<int>(packed[at]);
    if (at + 1 < packed.size()) word |= std::to_integer<int>(packed[at + 1]) << 8;
    const int field = word >> (first % 8) & ((1 << bits) - 1);
    result[i] = static_cast<std::byte>((field ^ sign) - sign);
  }
  return result;
}

bool is_packed(DType dtype) { return packed_bits(dtype) < 8; }

// Bytes of the file as they stand in a tensor: a bool is 0 or 1 whatever byte the file holds.
Bytes normal(Bytes bytes, DType dtype, std::int64_t elements) {
  if (is_packed(dtype)) return unpacked(bytes, dtype, elements);
  if (dtype != DType::kBool) return bytes;
  for (std::byte& byte : bytes) byte = byte == std::byte{0} ? std::byte{0} : std::byte{1};
  return bytes;
}

}  // namespace

Result<Tensor> read_tensor(const onnx::TensorProto& proto, const std::string& what,
                           ExternalData* external) {
  const std::optional<DType> dtype = dtype_of_onnx(proto.data_type());
  if (!dtype) {
    return fail("onnx-dtype",
                fmt::format("{} has elements of {}, which frit does not compute with; "
                            "cast them in the model",
                            what, onnx_dtype_name(proto.data_type())));
  }
  if (proto.has_segment()) {
    return fail("onnx-tensor",
                what + " is cut in segments, which frit does not read; save it whole");
  }
  std::vector<std::int64_t> dims(proto.dims().begin(), proto.dims().end());
  const std::optional<std::int64_t> elements = checked_elements(dims);
  if (!elements) {
    return fail("onnx-tensor", fmt::format("{} has the shape {}, which {}; export the model again",
                                           what, dims_text(dims), limit_fault(dims)));
  }
  const bool one_each = !proto.has_raw_data() &&
                        proto.data_location() != onnx::TensorProto::EXTERNAL &&
                        packed_bits(*dtype) == 6;  // int32_data holds each in an integer of its own
  const std::int64_t size = one_each ? *elements : (*elements * packed_bits(*dtype) + 7) / 8;
  if (proto.data_location() == onnx::TensorProto::EXTERNAL) {
    if (external == nullptr) {
      return fail("onnx-external-data", what +
                                            " keeps its data in another file, which only an "
                                            "initializer may do; save it inside the model");
    }
    auto bytes = external->read(proto, size, what);
    if (!bytes) return fail(std::move(bytes).error());
    if (*dtype != DType::kBool && !is_packed(*dtype)) {
      return Tensor(*dtype, std::move(dims), std::move(*bytes));
    }
    return Tensor(*dtype, std::move(dims),
                  std::make_shared<const Bytes>(normal(**bytes, *dtype, *elements)));
  }
  Bytes bytes = proto.has_raw_data() ? raw_values(proto) : typed_values(proto, *dtype);
  if (static_cast<std::int64_t>(bytes.size()) != size) {
    return fail(
        "onnx-tensor",
        fmt::format(
            "{} is {}{}, which needs {} bytes, but the file holds {}; export the model again", what,
            name_of(*dtype), dims_text(dims), size, bytes.size()));
  }
  if (one_each) {
    for (std::byte& byte : bytes) byte &= std::byte{0x3F};
  } else {
    bytes = normal(std::move(bytes), *dtype, *elements);
  }
  return Tensor(*dtype, std::move(dims), std::make_shared<const Bytes>(std::move(bytes)));
}

namespace {

// Position of the i-th value in the dense tensor, or nullopt when it lies outside.
std::optional<std::int64_t> dense_position(std::span<const std::int64_t> indices, std::size_t i,
                                           bool linear, const std::vector<std::int64_t>& dims,
                                           std::int64_t elements) {
  if (linear) {
    return indices[i] < 0 || indices[i] >= elements ? std::nullopt : std::optional(indices[i]);
  }
  std::int64_t position = 0;
  for (std::size_t axis = 0; axis < dims.size(); ++axis) {
    const std::int64_t index = indices[i * dims.size() + axis];
    if (index < 0 || index >= dims[axis]) return std::nullopt;
    position = position * dims[axis] + index;
  }
  return position;
}

}  // namespace

Result<Tensor> read_sparse_tensor(const onnx::SparseTensorProto& proto, const std::string& what,
                                  ExternalData* external) {
  const Result<Tensor> values = read_tensor(proto.values(), what + " (values)", external);
  if (!values) return values;
  const Result<Tensor> indices = read_tensor(proto.indices(), what + " (indices)", external);
  if (!indices) return indices;
  std::vector<std::int64_t> dims(proto.dims().begin(), proto.dims().end());
  const std::optional<std::int64_t> elements = checked_elements(dims);
  if (!elements) {
    return fail("onnx-tensor", fmt::format("{} has the shape {}, which {}; export the model again",
                                           what, dims_text(dims), limit_fault(dims)));
  }
  const std::int64_t most = std::max(std::int64_t{1} << 20, 1024 * values->elements());
  if (*elements > most) {
    return fail("onnx-too-large", fmt::format("{} is {} with {} values; frit makes a sparse tensor "
                                              "dense only up to {} elements",
                                              what, dims_text(dims), values->elements(), most));
  }
  const auto count = static_cast<std::size_t>(values->elements());
  const std::vector<std::int64_t> linear{values->elements()};
  const std::vector<std::int64_t> coordinates{values->elements(),
                                              static_cast<std::int64_t>(dims.size())};
  if (values->rank() != 1 || indices->dtype() != DType::kI64 ||
      (indices->dims() != linear && indices->dims() != coordinates)) {
    return fail("onnx-tensor", fmt::format("{} has values {} but indices {}; they must be [n] and "
                                           "i64 [n] or [n,{}]",
                                           what, dims_text(values->dims()),
                                           to_text(indices->type()), dims.size()));
  }
  const auto element_bytes = static_cast<std::size_t>(size_bytes(values->dtype()));
  auto bytes = std::make_shared<Bytes>(static_cast<std::size_t>(*elements) * element_bytes);
  for (std::size_t i = 0; i < count; ++i) {
    const std::optional<std::int64_t> position = dense_position(
        indices->data<std::int64_t>(), i, indices->dims() == linear, dims, *elements);
    if (!position) {
      return fail("onnx-tensor", fmt::format("{}: index {} lies outside {}; export the model again",
                                             what, i, dims_text(dims)));
    }
    std::copy_n(values->bytes().data() + i * element_bytes, element_bytes,
                bytes->data() + static_cast<std::size_t>(*position) * element_bytes);
  }
  return Tensor(values->dtype(), std::move(dims), std::move(bytes));
}

}  // namespace frit
