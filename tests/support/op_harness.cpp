#include "tests/support/op_harness.h"

#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <random>

#include "ops/base/assert.h"
#include "ops/base/small_float.h"
#include "ops/halide_type.h"
#include "ops/reference/reference.h"

extern "C" {
#include "runtime/topk.h"
}

namespace frit::test {
namespace {

using Halide::Expr;

std::vector<int> dense_order(int rank) {
  std::vector<int> order;
  for (int axis = rank - 1; axis >= 0; --axis) order.push_back(axis);
  return order;
}

std::vector<int> sizes_in(const std::vector<int>& order, const std::vector<std::int64_t>& dims) {
  std::vector<int> sizes;
  for (const int axis : order)
    sizes.push_back(static_cast<int>(dims[static_cast<std::size_t>(axis)]));
  return sizes;
}

/// The elements of a realised buffer whose dimension i is axis order[i], row-major by axis.
Tensor dense_tensor(const Halide::Buffer<>& buffer, const std::vector<int>& order,
                    const TensorType& type) {
  const std::vector<std::int64_t> dims = type.dims();
  const auto element = static_cast<std::size_t>(size_bytes(type.dtype));
  auto bytes = std::make_shared<std::vector<std::byte>>(static_cast<std::size_t>(type.bytes()));
  const auto* from = static_cast<const std::byte*>(buffer.data());
  std::vector<std::int64_t> index(dims.size(), 0);
  for (std::int64_t at = 0; at < type.elements(); ++at) {
    std::int64_t offset = 0;
    for (std::size_t d = 0; d < order.size(); ++d) {
      offset +=
          index[static_cast<std::size_t>(order[d])] * buffer.dim(static_cast<int>(d)).stride();
    }
    std::memcpy(bytes->data() + static_cast<std::size_t>(at) * element,
                from + static_cast<std::size_t>(offset) * element, element);
    for (std::size_t axis = dims.size(); axis-- > 0;) {
      if (++index[axis] < dims[axis]) break;
      index[axis] = 0;
    }
  }
  return Tensor(type.dtype, dims, std::move(bytes));
}

/// `dense` with halo.low and halo.high more elements around it, all equal to the fill.
Halide::Buffer<> with_halo(const Halide::Buffer<>& dense, DType dtype,
                           const std::vector<int>& order, const Operator::Reach& halo) {
  std::vector<int> sizes, mins;
  for (std::size_t d = 0; d < order.size(); ++d) {
    const auto axis = static_cast<std::size_t>(order[d]);
    mins.push_back(-static_cast<int>(halo.low[axis]));
    sizes.push_back(dense.dim(static_cast<int>(d)).extent() +
                    static_cast<int>(halo.low[axis] + halo.high[axis]));
  }
  Halide::Func fill("fill");
  std::vector<Halide::Var> vars(order.size());
  fill(vars) = stored_constant(dtype, halo.fill);
  Halide::Buffer<> buffer = fill.realize(sizes);
  buffer.set_min(mins);
  buffer.copy_from(dense);
  return buffer;
}

Result<OpInstance> prepared(const OpCase& test) {
  OpInstance op = test.op;
  const Operator* rule = find_operator(op.domain, op.type);
  FRIT_ASSERT(rule != nullptr, "no operator " + op.type);
  auto outputs = rule->infer(op);
  if (!outputs) return fail(outputs.error());
  op.outputs = std::move(*outputs);
  if (rule->expands(op)) return op;
  if (Status done = rule->canonicalise(op); !done) return fail(done.error());
  return op;
}

/// What is folded before kernels are made has a reference only.
Result<std::vector<Tensor>> folded(const OpCase& test) {
  std::vector<RefTensor> values(test.values.size());
  std::vector<const RefTensor*> inputs;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (test.values[i]) values[i] = RefTensor::from(*test.values[i]);
    inputs.push_back(test.values[i] ? &values[i] : nullptr);
  }
  const auto outputs = evaluate_reference(test.op, inputs, RefPrecision::kDouble);
  if (!outputs) return fail(outputs.error());
  std::vector<Tensor> tensors;
  for (const RefTensor& output : *outputs) tensors.push_back(output.to_tensor());
  return tensors;
}

/// What an operator that expands gives: its nodes one after another.
Result<std::vector<Tensor>> run_expansion(const OpCase& test) {
  OpInstance op = test.op;
  const Operator& rule = *find_operator(op.domain, op.type);
  auto outputs = rule.infer(op);
  if (!outputs) return fail(outputs.error());
  op.outputs = std::move(*outputs);
  Expansion expansion(op);
  FRIT_TRY(rule.expand(op, expansion));
  FRIT_TRY(expansion.status());
  std::vector<std::optional<Tensor>> values(expansion.all_values().size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = i < test.values.size() ? test.values[i] : expansion.all_values()[i].constant;
  }
  const auto value_at = [&](int id) {
    return id < 0 ? std::nullopt : values[static_cast<std::size_t>(id)];
  };
  for (const Expansion::Node& node : expansion.all_nodes()) {
    OpCase one{node.op, {}};
    for (const int input : node.inputs) one.values.push_back(value_at(input));
    const bool folds = find_operator(node.op.domain, node.op.type)->kind(node.op) == OpKind::kShape;
    auto results = folds ? folded(one) : run_op(one);
    if (!results) return results;
    for (std::size_t i = 0; i < node.outputs.size(); ++i) {
      values[static_cast<std::size_t>(node.outputs[i])] = results->at(i);
    }
  }
  std::vector<Tensor> results;
  for (std::size_t i = 0; i < op.outputs.size(); ++i) {
    if (expansion.output_id(i) < 0) break;
    results.push_back(*value_at(expansion.output_id(i)));
    FRIT_ASSERT(results.back().type() == op.outputs[i], "an expansion gives another type");
  }
  return results;
}

/// Runs the last stage; what kernels call of the runtime is called here.
Halide::Buffer<> realized(StageBuilder& made, const std::vector<int>& sizes) {
  using Called = int (*)(halide_buffer_t*, std::int32_t, halide_buffer_t*);
  Halide::Pipeline pipeline(made.stages().back()->func);
  pipeline.set_jit_externs(
      {{"frit_topk", Halide::JITExtern(reinterpret_cast<Called>(&frit_topk))}});
  return pipeline.realize(sizes);
}

std::vector<Halide::Var> axes_of(const Operator& rule, const OpInstance& op) {
  std::vector<Halide::Var> axes;
  for (const std::string& name : rule.axis_names(op)) axes.emplace_back(name);
  return axes;
}

}  // namespace

OpCase make_op(const std::string& type, int opset, AttributeMap attributes,
               std::vector<std::optional<Tensor>> values, const std::vector<std::size_t>& known) {
  OpCase test;
  test.op.type = type;
  test.op.name = "node";
  test.op.opset = opset;
  test.op.attributes = std::move(attributes);
  for (const std::optional<Tensor>& value : values) {
    test.op.inputs.push_back(value ? std::optional(value->type()) : std::nullopt);
  }
  test.op.constants.resize(values.size());
  for (const std::size_t i : known) test.op.constants[i] = values[i];
  test.values = std::move(values);
  return test;
}

Operand operand_of(const Tensor& values, const Operator::Reach& halo) {
  Operand operand;
  operand.type = values.type();
  operand.halo_low = halo.low;
  operand.halo_high = halo.high;
  operand.halo_fill = halo.fill;
  const std::vector<int> order = dense_order(values.rank());
  const Halide::Type type = halide_type(values.dtype());
  Halide::Buffer<> dense(type, sizes_in(order, values.dims()));
  if (!values.bytes().empty()) {
    std::memcpy(dense.data(), values.bytes().data(), values.bytes().size());
  }
  Halide::Buffer<> buffer =
      halo.low.empty() ? dense : with_halo(dense, values.dtype(), order, halo);
  operand.at = [buffer, order](const Index& index) -> Expr {
    std::vector<Expr> arguments;
    for (const int axis : order) arguments.push_back(index[static_cast<std::size_t>(axis)]);
    return buffer(arguments);
  };
  return operand;
}

Result<std::vector<Tensor>> run_op(const OpCase& test, const std::vector<int>& order, Halo halo) {
  const Operator* stated = find_operator(test.op.domain, test.op.type);
  if (stated != nullptr && stated->expands(test.op)) return run_expansion(test);
  auto op = prepared(test);
  if (!op) return fail(op.error());
  const Operator* rule = find_operator(op->domain, op->type);
  FRIT_ASSERT(rule != nullptr, "canonical form " + op->type + " is no operator");
  std::vector<Operand> operands;
  for (std::size_t i = 0; i < op->inputs.size(); ++i) {
    const bool around = halo == Halo::kAsReached;
    // Where canonicalise put a table in the place of a parameter, the table is read.
    const bool table = op->constant(i) != nullptr;
    operands.push_back(op->inputs[i] ? operand_of(table ? *op->constant(i) : *test.values[i],
                                                  around ? rule->reach(*op, i) : Operator::Reach{})
                                     : Operand());
  }
  const TensorType type = op->outputs.at(0);
  const std::vector<int> lie = order.empty() ? dense_order(type.rank()) : order;
  const std::string prefix = rule->anchor(*op).empty() ? "epi_0" : "";
  try {
    StageBuilder stages(axes_of(*rule, *op), lie, type.dims(), prefix, "");
    rule->build(*op, operands, stages);
    const Halide::Buffer<> buffer = realized(stages, sizes_in(lie, type.dims()));
    return std::vector{dense_tensor(buffer, lie, type)};
  } catch (const Halide::Error& e) {
    throw InternalError("Halide: " + std::string(e.what()));
  }
}

Tensor run_one(const OpCase& test, const std::vector<int>& order) {
  auto outputs = run_op(test, order);
  if (!outputs) throw InternalError(to_text(outputs.error()));
  return outputs->at(0);
}

std::string refusal_of(const OpCase& test) {
  const auto op = prepared(test);
  return op ? "" : op.error().message + " [" + op.error().code + "]";
}

std::string difference(const Tensor& got, const std::vector<double>& want, double relative,
                       double absolute) {
  const std::vector<double> values = got.to_doubles();
  if (values.size() != want.size()) {
    return fmt::format("{} elements, want {}", values.size(), want.size());
  }
  for (std::size_t i = 0; i < want.size(); ++i) {
    const bool both_nan = std::isnan(values[i]) && std::isnan(want[i]);
    const bool near = std::fabs(values[i] - want[i]) <= absolute + relative * std::fabs(want[i]);
    if (both_nan || values[i] == want[i] || (near && std::isfinite(want[i]))) continue;
    return fmt::format("at {}: got {}, want {}", i, values[i], want[i]);
  }
  return "";
}

Tensor random_tensor(DType dtype, std::vector<std::int64_t> dims, double low, double high,
                     unsigned seed) {
  std::mt19937 generator(seed);
  const auto count = static_cast<std::size_t>(TensorType(dtype, dims).elements());
  const auto element = static_cast<std::size_t>(size_bytes(dtype));
  auto bytes = std::make_shared<std::vector<std::byte>>(count * element);
  for (std::size_t i = 0; i < count; ++i) {
    const double unit = static_cast<double>(generator()) / 4294967296.0;
    const double value = low + unit * (high - low);
    const auto put = [&](auto typed) { std::memcpy(bytes->data() + i * element, &typed, element); };
    switch (dtype) {
      case DType::kF32:
        put(static_cast<float>(value));
        break;
      case DType::kF64:
        put(value);
        break;
      case DType::kF16:
        put(Halide::float16_t(value).to_bits());
        break;
      case DType::kBF16:
        put(Halide::bfloat16_t(value).to_bits());
        break;
      case DType::kU64:
        put(static_cast<std::uint64_t>(value));
        break;
      case DType::kBool:
        put(static_cast<std::uint8_t>(value > (low + high) / 2));
        break;
      case DType::kF8E4M3FN:
      case DType::kF8E4M3FNUZ:
      case DType::kF8E5M2:
      case DType::kF8E5M2FNUZ:
      case DType::kF8E8M0:
      case DType::kF6E2M3:
      case DType::kF6E3M2:
      case DType::kF4E2M1:
        put(small_float_code(dtype, value));
        break;
      default:
        put(static_cast<std::int64_t>(std::floor(value)));
        break;  // little endian
    }
  }
  return Tensor(dtype, std::move(dims), std::move(bytes));
}

}  // namespace frit::test
