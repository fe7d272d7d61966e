// AttributeProto to Attribute, and Constant nodes to tensors.
#pragma once

#include <string>

#include "ops/base/attribute.h"
#include "ops/base/result.h"

namespace onnx {
class AttributeProto;
class NodeProto;
}  // namespace onnx

namespace frit {

/// Graph attributes are not read here: they become regions. Code "onnx-attribute" for kinds that no
/// operator of frit takes, for integers beyond any tensor's size, and for references to functions'
/// attributes; "onnx-tensor" and kin as read_tensor. `node` names the node in messages.
Result<Attribute> read_attribute(const onnx::AttributeProto& proto, const std::string& node);

/// The value of a Constant node, of whichever attribute kind.
Result<Tensor> read_constant(const onnx::NodeProto& proto, const std::string& node);

}  // namespace frit
