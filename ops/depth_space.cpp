#include "ops/depth_space.h"

#include <fmt/format.h>

#include "ops/limits.h"
#include "ops/rules.h"

namespace frit {
namespace {

using Halide::Expr;

std::int64_t block_of(const OpInstance& op) { return int_attribute(op.attributes, "blocksize", 0); }

Status check_block(const OpInstance& op) {
  FRIT_TRY(check_inputs(op, 1, 1));
  FRIT_TRY(check_constant_shape(op, 0, "its input"));
  const std::int64_t block = block_of(op);
  if (op.input(0).rank() == 4 && block >= 1 && block <= (1 << 15)) return {};
  return fail("onnx-attribute",
              fmt::format("{}: blocksize is {} and its input {} but a block from 1 to "
                          "{} and the shape [n,c,y,x] are needed; correct the model",
                          label(op), block, to_text(op.input(0)), 1 << 15));
}

tl::unexpected<Diagnostic> indivisible(const OpInstance& op) {
  return fail("onnx-shape",
              fmt::format("{}: its input is {}, which blocks of {} do not divide; correct "
                          "blocksize or pass --shape",
                          label(op), to_text(op.input(0)), block_of(op)));
}

std::string mode_of(const OpInstance& op) { return string_attribute(op.attributes, "mode", "DCR"); }

Status check_mode(const OpInstance& op) {
  const std::string mode = mode_of(op);
  if (mode == "DCR" || mode == "CRD") return {};
  return fail("onnx-attribute",
              fmt::format("{}: mode is \"{}\" but must be DCR or CRD; correct the attribute",
                          label(op), mode));
}

class DepthToSpace final : public Operator {
 public:
  std::string_view type() const override { return "DepthToSpace"; }
  std::string_view formula() const override {
    return "out[n,c,y*B+i,x*B+j] = x[n, (i*B + j)*C + c, y, x] (mode DCR) or x[n, c*B*B + i*B + j, "
           "y, x] (CRD, opset 11 on)\n"
           "B = blocksize, C = channels of out";
  }
  const Attributes& attributes() const override {
    using enum AttributeKind;
    static const Attributes all = {{"blocksize", kInt, kAlways}, {"mode", kString}};
    return all;
  }
  OpKind kind(const OpInstance&) const override { return OpKind::kInjective; }

  Result<std::vector<TensorType>> infer(const OpInstance& op) const override {
    FRIT_TRY(check_block(op));
    FRIT_TRY(check_mode(op));
    const std::int64_t block = block_of(op);
    std::vector<std::int64_t> dims = op.input(0).dims();
    if (dims[1] % (block * block) != 0) return indivisible(op);
    dims = {dims[0], dims[1] / (block * block), dims[2] * block, dims[3] * block};
    FRIT_TRY(check_size(op, dims));
    return std::vector{TensorType(op.input(0).dtype, dims)};
  }

  Status canonicalise(OpInstance& op) const override {
    op.attributes["mode"] = mode_of(op);
    return {};
  }

  void build(const OpInstance& op, const std::vector<Operand>& operands,
             StageBuilder& stages) const override {
    const int block = static_cast<int>(block_of(op));
    const int channels = static_cast<int>(op.outputs.at(0).dims()[1]);
    const Index out = stages.index();
    const Expr inner = out[2] % block * block + out[3] % block;
    const Expr channel =
        mode_of(op) == "DCR" ? inner * channels + out[1] : out[1] * (block * block) + inner;
    stages.stage("")() = operands[0].at({out[0], channel, out[2] / block, out[3] / block});
  }

  Counts counts(const OpInstance&) const override { return {}; }
};

class SpaceToDepth final : public Operator {
 public:
  std::string_view type() const override { return "SpaceToDepth"; }
  std::string_view formula() const override {
    return "out[n, (i*B + j)*C + c, y, x] = x[n,c,y*B+i,x*B+j] (mode DCR), or channel c*B*B + i*B "
           "+ j (CRD)\n"
           "B = blocksize, C = channels of x";
  }
  const Attributes& attributes() const override {
    using enum AttributeKind;
    static const Attributes all = {{"blocksize", kInt, kAlways}, {"mode", kString}};
    return all;
  }
  OpKind kind(const OpInstance&) const override { return OpKind::kInjective; }

  Result<std::vector<TensorType>> infer(const OpInstance& op) const override {
    FRIT_TRY(check_block(op));
    FRIT_TRY(check_mode(op));  // of opset 28; DCR is what older ones do
    const std::int64_t block = block_of(op);
    std::vector<std::int64_t> dims = op.input(0).dims();
    if (dims[2] % block != 0 || dims[3] % block != 0) return indivisible(op);
    dims = {dims[0], dims[1] * block * block, dims[2] / block, dims[3] / block};
    FRIT_TRY(check_size(op, dims));
    return std::vector{TensorType(op.input(0).dtype, dims)};
  }

  Status canonicalise(OpInstance& op) const override {
    op.attributes["mode"] = mode_of(op);
    return {};
  }

  void build(const OpInstance& op, const std::vector<Operand>& operands,
             StageBuilder& stages) const override {
    const int block = static_cast<int>(block_of(op));
    const int channels = static_cast<int>(op.input(0).dims()[1]);
    const Index out = stages.index();
    const bool blocks_first = mode_of(op) == "DCR";
    const Expr inner = blocks_first ? out[1] / channels : out[1] % (block * block);
    const Expr channel = blocks_first ? out[1] % channels : out[1] / (block * block);
    stages.stage("")() = operands[0].at(
        {out[0], channel, out[2] * block + inner / block, out[3] * block + inner % block});
  }

  Counts counts(const OpInstance&) const override { return {}; }
};

}  // namespace

void add_depth_space(std::vector<const Operator*>& all) {
  static const DepthToSpace depth_to_space;
  static const SpaceToDepth space_to_depth;
  all.insert(all.end(), {&depth_to_space, &space_to_depth});
}

}  // namespace frit
