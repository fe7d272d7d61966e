// A protobuf message as a tree of fields, for tests that break ONNX files below the level of bytes.
// (onnx.proto is generated for the lite runtime, which has no reflection.)
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace frit::testing {

/// Messages of onnx.proto that the tree goes into.
enum class Wire {
  kModel,
  kGraph,
  kNode,
  kAttribute,
  kTensor,
  kValueInfo,
  kType,
  kTensorType,
  kShape,
  kDim,
  kLeaf
};

struct WireField {
  int number = 0;
  int wire_type = 0;           ///< 0 varint, 1 eight bytes, 2 bytes or message, 5 four bytes
  std::uint64_t varint = 0;    ///< wire types 0, 1, 5
  std::string bytes;           ///< wire type 2, where it is no message of the tree
  Wire message = Wire::kLeaf;  ///< wire type 2: what `children` are
  std::vector<WireField> children;
};

/// The fields of a message; throws std::runtime_error or std::out_of_range where it is broken.
std::vector<WireField> parse_wire(const std::string& bytes, Wire message);
std::string wire_bytes(const std::vector<WireField>& fields);

}  // namespace frit::testing
