#include "generators/onnx/tensor_reader.h"

#include <gtest/gtest.h>
#include <onnx.pb.h>

#include "generators/onnx/dtypes.h"

namespace frit {
namespace {

using Proto = onnx::TensorProto;

Proto proto_of(int dtype, const std::vector<std::int64_t>& dims) {
  Proto proto;
  proto.set_data_type(dtype);
  for (const std::int64_t extent : dims) proto.add_dims(extent);
  return proto;
}

template <class T>
std::string raw(const std::vector<T>& values) {
  return std::string(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
}

std::vector<double> values_of(const Proto& proto) {
  const Result<Tensor> tensor = read_tensor(proto, "t", nullptr);
  EXPECT_TRUE(tensor) << (tensor ? "" : to_text(tensor.error()));
  return tensor ? tensor->to_doubles() : std::vector<double>{};
}

std::string refusal_of(const Proto& proto) {
  const Result<Tensor> tensor = read_tensor(proto, "initializer 'w'", nullptr);
  return tensor ? "" : to_text(tensor.error());
}

TEST(TensorReader, ReadsEveryElementTypeFromItsTypedField) {
  const std::vector<double> expected = {1, 2};
  for (const int dtype : {Proto::INT8, Proto::INT16, Proto::INT32, Proto::UINT8, Proto::UINT16}) {
    Proto proto = proto_of(dtype, {2});
    proto.add_int32_data(1);
    proto.add_int32_data(2);
    EXPECT_EQ(values_of(proto), expected) << onnx_dtype_name(dtype);
  }
  for (const int dtype : {Proto::UINT32, Proto::UINT64}) {
    Proto proto = proto_of(dtype, {2});
    proto.add_uint64_data(1);
    proto.add_uint64_data(2);
    EXPECT_EQ(values_of(proto), expected) << onnx_dtype_name(dtype);
  }
  Proto longs = proto_of(Proto::INT64, {2});
  longs.add_int64_data(1);
  longs.add_int64_data(2);
  EXPECT_EQ(values_of(longs), expected);
  Proto floats = proto_of(Proto::FLOAT, {2});
  floats.add_float_data(1);
  floats.add_float_data(2);
  EXPECT_EQ(values_of(floats), expected);
  Proto doubles = proto_of(Proto::DOUBLE, {2});
  doubles.add_double_data(1);
  doubles.add_double_data(2);
  EXPECT_EQ(values_of(doubles), expected);
  Proto halves = proto_of(Proto::FLOAT16, {2});
  halves.add_int32_data(0x3C00);
  halves.add_int32_data(0x4000);
  EXPECT_EQ(values_of(halves), expected);
  Proto brains = proto_of(Proto::BFLOAT16, {2});
  brains.add_int32_data(0x3F80);
  brains.add_int32_data(0x4000);
  EXPECT_EQ(values_of(brains), expected);
  Proto flags = proto_of(Proto::BOOL, {2});
  flags.add_int32_data(0);
  flags.add_int32_data(7);
  EXPECT_EQ(values_of(flags), (std::vector<double>{0, 1}));
}

TEST(TensorReader, ReadsRawBytes) {
  Proto halves = proto_of(Proto::FLOAT16, {2});
  halves.set_raw_data(raw<std::uint16_t>({0x3C00, 0xC000}));
  EXPECT_EQ(values_of(halves), (std::vector<double>{1, -2}));
  Proto longs = proto_of(Proto::INT64, {1});
  longs.set_raw_data(raw<std::int64_t>({-5}));
  EXPECT_EQ(values_of(longs), (std::vector<double>{-5}));
  Proto flags = proto_of(Proto::BOOL, {3});
  flags.set_raw_data(std::string("\0\x01\xFF", 3));
  EXPECT_EQ(values_of(flags), (std::vector<double>{0, 1, 1}));
  Proto scalar = proto_of(Proto::FLOAT, {});
  scalar.set_raw_data(raw<float>({2.5F}));
  EXPECT_EQ(values_of(scalar), (std::vector<double>{2.5}));
  EXPECT_EQ(values_of(proto_of(Proto::FLOAT, {0, 5})), std::vector<double>{});
}

TEST(TensorReader, UnpacksTypesOfFewBits) {
  Proto nibbles = proto_of(Proto::INT4, {3});
  nibbles.set_raw_data("\xF1\x08");  // 1, -1, -8
  EXPECT_EQ(values_of(nibbles), (std::vector<double>{1, -1, -8}));
  Proto typed = proto_of(Proto::UINT4, {3});
  typed.add_int32_data(0xF1);
  typed.add_int32_data(0x08);
  EXPECT_EQ(values_of(typed), (std::vector<double>{1, 15, 8}));
  Proto pairs = proto_of(Proto::INT2, {5});
  pairs.set_raw_data("\xE4\x03");  // 0, 1, -2, -1, -1
  EXPECT_EQ(values_of(pairs), (std::vector<double>{0, 1, -2, -1, -1}));
  Proto sixes = proto_of(Proto::FLOAT6E2M3, {2});
  sixes.set_raw_data("\x48\x0A");  // codes 001000 and 101001: 1, -1.125
  EXPECT_EQ(values_of(sixes), (std::vector<double>{1, -1.125}));
  Proto apart = proto_of(Proto::FLOAT6E2M3, {2});
  apart.add_int32_data(0x08);
  apart.add_int32_data(0x29);
  EXPECT_EQ(values_of(apart), (std::vector<double>{1, -1.125}));
  Proto fours = proto_of(Proto::FLOAT4E2M1, {3});
  fours.set_raw_data("\x7A\x01");  // -1, 6, 0.5
  EXPECT_EQ(values_of(fours), (std::vector<double>{-1, 6, 0.5}));
  Proto eights = proto_of(Proto::FLOAT8E4M3FN, {2});
  eights.set_raw_data("\x38\xC0");
  EXPECT_EQ(values_of(eights), (std::vector<double>{1, -2}));
  nibbles.set_raw_data("\x01");
  EXPECT_NE(refusal_of(nibbles), "");
}

TEST(TensorReader, RefusesElementTypesThatHaveNoKernel) {
  EXPECT_EQ(refusal_of(proto_of(Proto::STRING, {1})),
            "error: initializer 'w' has elements of STRING, which frit does not compute with; cast "
            "them in the model [onnx-dtype]");
  EXPECT_EQ(
      refusal_of(proto_of(99, {1})),
      "error: initializer 'w' has elements of type 99, which frit does not compute with; cast "
      "them in the model [onnx-dtype]");
}

TEST(TensorReader, RefusesAsManyValuesAsDoNotFillTheShape) {
  Proto proto = proto_of(Proto::FLOAT, {2, 3});
  proto.set_raw_data("1234567");
  EXPECT_EQ(refusal_of(proto),
            "error: initializer 'w' is f32[2,3], which needs 24 bytes, but the file holds 7; "
            "export the model again [onnx-tensor]");
  EXPECT_EQ(refusal_of(proto_of(Proto::FLOAT, {2, -3})),
            "error: initializer 'w' has the shape [2,-3], which has the extent -3 but from 0 to "
            "2147483648 are supported; export the model again "
            "[onnx-tensor]");
  const std::int64_t huge = std::int64_t{1} << 62;
  EXPECT_EQ(
      refusal_of(proto_of(Proto::FLOAT, {huge, huge, 4})),
      "error: initializer 'w' has the shape [4611686018427387904,4611686018427387904,4], which "
      "has the extent 4611686018427387904 but from 0 to 2147483648 are supported; export the model "
      "again [onnx-tensor]");
  EXPECT_NE(refusal_of(proto_of(Proto::FLOAT, {0, huge})), "");
}

onnx::SparseTensorProto sparse_of(const std::vector<std::int64_t>& dims,
                                  const std::vector<float>& values,
                                  const std::vector<std::int64_t>& indices, bool coordinates) {
  onnx::SparseTensorProto sparse;
  for (const std::int64_t extent : dims) sparse.add_dims(extent);
  *sparse.mutable_values() = proto_of(Proto::FLOAT, {static_cast<std::int64_t>(values.size())});
  sparse.mutable_values()->set_raw_data(raw(values));
  const auto count = static_cast<std::int64_t>(values.size());
  *sparse.mutable_indices() =
      coordinates ? proto_of(Proto::INT64, {count, static_cast<std::int64_t>(dims.size())})
                  : proto_of(Proto::INT64, {count});
  sparse.mutable_indices()->set_raw_data(raw(indices));
  return sparse;
}

TEST(SparseTensorReader, MakesBothFormsDense) {
  const std::vector<double> expected = {0, 5, 0, 0, 0, 7};
  EXPECT_EQ(
      read_sparse_tensor(sparse_of({2, 3}, {5, 7}, {1, 5}, false), "s", nullptr)->to_doubles(),
      expected);
  EXPECT_EQ(
      read_sparse_tensor(sparse_of({2, 3}, {5, 7}, {0, 1, 1, 2}, true), "s", nullptr)->to_doubles(),
      expected);
}

TEST(SparseTensorReader, RefusesIndicesOutsideAndShapesOutOfProportion) {
  EXPECT_EQ(to_text(read_sparse_tensor(sparse_of({2, 3}, {5}, {6}, false), "s", nullptr).error()),
            "error: s: index 0 lies outside [2,3]; export the model again [onnx-tensor]");
  EXPECT_EQ(
      to_text(read_sparse_tensor(sparse_of({99999, 99999}, {5}, {6}, false), "s", nullptr).error()),
      "error: s is [99999,99999] with 1 values; frit makes a sparse tensor dense only up to "
      "1048576 "
      "elements [onnx-too-large]");
}

}  // namespace
}  // namespace frit
