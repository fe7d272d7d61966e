#include "generators/onnx/attribute_reader.h"

#include <fmt/format.h>
#include <onnx.pb.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "generators/graph/limits.h"
#include "generators/onnx/names.h"
#include "generators/onnx/tensor_reader.h"

namespace frit {
namespace {

using Proto = onnx::AttributeProto;

// Files of the first IR version leave the type out: then the field that is set says it.
Proto::AttributeType kind_of(const Proto& proto) {
  if (proto.type() != Proto::UNDEFINED) return proto.type();
  if (proto.has_f()) return Proto::FLOAT;
  if (proto.has_i()) return Proto::INT;
  if (proto.has_s()) return Proto::STRING;
  if (proto.has_t()) return Proto::TENSOR;
  if (proto.floats_size() > 0) return Proto::FLOATS;
  if (proto.ints_size() > 0) return Proto::INTS;
  if (proto.strings_size() > 0) return Proto::STRINGS;
  return Proto::UNDEFINED;
}

// Slice says "to the end" with the largest integers; they are brought within int32, which is beyond
// every extent too, so that arithmetic on attributes cannot overflow.
bool may_be_endless(const std::string& name) { return name == "starts" || name == "ends"; }

Result<std::int64_t> checked_integer(std::int64_t value, const std::string& name,
                                     const std::string& node) {
  if (value >= -kMaxExtent && value <= kMaxExtent) return value;
  if (may_be_endless(name)) return std::clamp(value, -kMaxExtent, kMaxExtent);
  return fail(
      "onnx-attribute",
      fmt::format("{}: attribute {} holds {} but integers from {} to {} are supported; correct it",
                  node, quoted_name(name), value, -kMaxExtent, kMaxExtent));
}

}  // namespace

Result<Attribute> read_attribute(const Proto& proto, const std::string& node) {
  const auto refuse = [&](const std::string& why) {
    return fail("onnx-attribute",
                fmt::format("{}: attribute {} {}", node, quoted_name(proto.name()), why));
  };
  if (!proto.ref_attr_name().empty())
    return refuse(
        "refers to a function's attribute but the node stands in no function; inline functions "
        "before export");
  switch (kind_of(proto)) {
    case Proto::INT: {
      const Result<std::int64_t> value = checked_integer(proto.i(), proto.name(), node);
      if (!value) return fail(value.error());
      return Attribute(*value);
    }
    case Proto::INTS: {
      std::vector<std::int64_t> values;
      values.reserve(static_cast<std::size_t>(proto.ints_size()));
      for (const std::int64_t element : proto.ints()) {
        const Result<std::int64_t> value = checked_integer(element, proto.name(), node);
        if (!value) return fail(value.error());
        values.push_back(*value);
      }
      return Attribute(std::move(values));
    }
    case Proto::FLOAT:
      return Attribute(proto.f());
    case Proto::FLOATS:
      return Attribute(std::vector<float>(proto.floats().begin(), proto.floats().end()));
    case Proto::STRING:
      return Attribute(proto.s());
    case Proto::STRINGS:
      return Attribute(std::vector<std::string>(proto.strings().begin(), proto.strings().end()));
    case Proto::TENSOR: {
      const std::string what = fmt::format("{}: attribute {}", node, quoted_name(proto.name()));
      Result<Tensor> tensor = read_tensor(proto.t(), what, nullptr);
      if (!tensor) return fail(std::move(tensor).error());
      return Attribute(std::move(*tensor));
    }
    case Proto::GRAPH:
    case Proto::GRAPHS:
      return refuse("is a graph, which only control flow holds; remove it");
    default:
      return refuse(
          "is of a kind that frit does not read; write it as integers, floats, strings or a "
          "tensor");
  }
}

Result<Tensor> read_constant(const onnx::NodeProto& proto, const std::string& node) {
  const auto refuse = [&](const std::string& why) {
    return fail("onnx-attribute", fmt::format("{} {}", node, why));
  };
  if (proto.attribute_size() != 1) {
    return refuse(fmt::format("has one attribute, not {}; keep the one that holds its value",
                              proto.attribute_size()));
  }
  const Proto& attribute = proto.attribute(0);
  const std::string& name = attribute.name();
  const std::string what = fmt::format("{}: attribute {}", node, quoted_name(name));
  if (name == "value") return read_tensor(attribute.t(), what, nullptr);
  if (name == "sparse_value") return read_sparse_tensor(attribute.sparse_tensor(), what, nullptr);
  if (name == "value_int") return Tensor::i64({}, {attribute.i()});
  if (name == "value_ints") {
    return Tensor::i64({attribute.ints_size()},
                       std::vector<std::int64_t>(attribute.ints().begin(), attribute.ints().end()));
  }
  if (name == "value_float") return Tensor::f32({}, {attribute.f()});
  if (name == "value_floats") {
    return Tensor::f32({attribute.floats_size()},
                       std::vector<float>(attribute.floats().begin(), attribute.floats().end()));
  }
  if (name == "value_string" || name == "value_strings") {
    return refuse(
        "holds strings, which are not supported: frit computes with numbers; remove the nodes that "
        "read it");
  }
  return refuse(
      fmt::format("has no attribute {}; its value is in one called value, value_int and so on",
                  quoted_name(name)));
}

}  // namespace frit
