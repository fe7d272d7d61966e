// An operator: its shape rule, canonical form, Halide algorithm and counts, in one place.
//
// A family of operators is one .h/.cpp pair in this folder whose classes derive from Operator and
// are listed in registry.cpp. The plain-loop reference is apart, in ops/reference/, and shares no
// code with this side. Adding an operator touches ops/ only.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "ops/attributes.h"
#include "ops/base/result.h"
#include "ops/expansion.h"
#include "ops/instance.h"
#include "ops/stage.h"

namespace frit {

/// How outputs depend on inputs. The planner reasons on this, never on names.
enum class OpKind : std::uint8_t {
  kPointwise,  ///< out[i] = f(a[i], b[i], …) after ONNX broadcasting
  kInjective,  ///< out[i] = a[g(i)], or one of several inputs: reshape, transpose, slice, concat
  kReduction,  ///< each output sums, or takes a maximum, over many inputs: conv, matmul, pool
  kChain,      ///< several reductions over the same rows, output of the input's shape: softmax
  kOpaque,     ///< never fused
  kShape,      ///< its output depends on shapes only; folded away before planning
};

/// Work of one evaluation.
struct Counts {
  std::int64_t flop = 0;            ///< multiply and add count one each
  std::int64_t transcendental = 0;  ///< exp, erf, … calls
};

/// Names and integers that a schedule's conditions and parameters may use: "k" -> 64.
using Facts = std::map<std::string, std::int64_t>;

class Operator {
 public:
  virtual ~Operator() = default;

  virtual std::string_view type() const = 0;  ///< "Conv"
  virtual std::string_view domain() const { return ""; }
  virtual int first_opset() const { return 1; }  ///< lowest opset whose semantics are handled
  virtual OpKind kind(const OpInstance& op) const = 0;
  /// What it computes, one line or a few, in the notation of the comments of this folder:
  /// "out[n,f,y,x] = b[f] + sum_{c,ry,rx} ...", and what differs between opsets. ASCII.
  virtual std::string_view formula() const = 0;
  /// Its attributes, sorted by name; a model with others is refused.
  virtual const Attributes& attributes() const = 0;

  /// Output types, or what is wrong: a type, an attribute, a shape. Code "onnx-type",
  /// "onnx-attribute" or "onnx-shape". Inputs whose *values* matter (Reshape's shape) must be
  /// constant: else "onnx-not-constant".
  virtual Result<std::vector<TensorType>> infer(const OpInstance& op) const = 0;

  /// Brings every opset's form to one (ops/README.md): constant parameter inputs become attributes
  /// and leave the end of `op.inputs`, computed tables (with `op.constants`) may take their place;
  /// `op.type` may change (Squeeze -> Reshape). Called after infer, with outputs filled.
  virtual Status canonicalise(OpInstance& op) const;

  /// Whether other nodes stand in its place: then neither canonicalise nor build is ever called.
  virtual bool expands(const OpInstance&) const { return false; }
  /// Writes them, every output that the node has. Return to.status() at the end.
  virtual Status expand(const OpInstance& op, Expansion& to) const;

  /// Kind of schedule that fits when this operator anchors a group ("conv2d", "depthwise",
  /// "matmul", "pool", "reduce", "softmax", "layer_norm"); "" when it never anchors.
  virtual std::string anchor(const OpInstance& op) const;
  /// Names of the output's logical axes for schedules, outermost first.
  virtual std::vector<std::string> axis_names(const OpInstance& op) const;
  /// Facts of an anchor: output extents under axis_names, reduction extents under theirs,
  /// "stride_y", "dilation_x", "group" …
  virtual Facts facts(const OpInstance& op) const;
  /// Names of the logical axes of constant input i, for `pack` ("k","c","ry","rx").
  virtual std::vector<std::string> constant_axes(const OpInstance& op, std::size_t input) const;
  /// Role of input i when this operator is an anchor: "w", "b", or "" for an ordinary input.
  virtual std::string constant_role(const OpInstance& op, std::size_t input) const;
  /// How far input i is read beyond its extents, per logical axis, and the fill; empty: not at all.
  struct Reach {
    std::vector<std::int64_t> low, high;
    double fill = 0.0;
  };
  virtual Reach reach(const OpInstance& op, std::size_t input) const;

  /// The Halide algorithm of the canonical form. The last stage made is the result.
  virtual void build(const OpInstance& op, const std::vector<Operand>& operands,
                     StageBuilder& stages) const = 0;

  virtual Counts counts(const OpInstance& op) const;
};

/// An operator that always expands.
class Composite : public Operator {
 public:
  OpKind kind(const OpInstance&) const override { return OpKind::kOpaque; }
  bool expands(const OpInstance&) const override { return true; }
  void build(const OpInstance&, const std::vector<Operand>&, StageBuilder&) const override;
};

/// The operator, or nullptr.
const Operator* find_operator(std::string_view domain, std::string_view type);
/// All of them, sorted by domain and type.
const std::vector<const Operator*>& all_operators();

}  // namespace frit
