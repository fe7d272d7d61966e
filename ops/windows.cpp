// BlackmanWindow, HammingWindow, HannWindow, MelWeightMatrix: tables of constant inputs, folded at
// build.
#include <fmt/format.h>

#include <cmath>

#include "ops/limits.h"
#include "ops/operator.h"
#include "ops/rules.h"

namespace frit {
namespace {

using enum AttributeKind;

/// Never built: its inputs are constant.
class Table : public Operator {
 public:
  OpKind kind(const OpInstance&) const override { return OpKind::kShape; }
  int first_opset() const override { return 17; }
  void build(const OpInstance& op, const std::vector<Operand>&, StageBuilder&) const override {
    FRIT_ASSERT(false, label(op) + " was not folded before building");
  }

 protected:
  static Result<DType> result_dtype(const OpInstance& op) {
    const std::int64_t number = int_attribute(op.attributes, "output_datatype", 1);
    const std::optional<DType> dtype = dtype_of_onnx(number);
    if (dtype && *dtype != DType::kBool) return *dtype;
    return fail("onnx-attribute",
                fmt::format("{}: output_datatype is {} but must name an integer or float type; "
                            "correct the attribute",
                            label(op), number));
  }
  /// The one integer of constant input i, at least `least`.
  static Result<std::int64_t> integer(const OpInstance& op, std::size_t i, const char* name,
                                      std::int64_t least) {
    const auto value = integer_input(op, i, name);
    if (!value) return fail(value.error());
    const bool one = *value != nullptr && (*value)->elements() == 1;
    if (one && (*value)->to_ints()[0] >= least) return (*value)->to_ints()[0];
    return fail(
        "onnx-shape",
        fmt::format("{}: {} is {} but must be one integer of at least {}; "
                    "correct the model",
                    label(op), name,
                    one ? std::to_string((*value)->to_ints()[0]) : to_text(op.input(i)), least));
  }
};

class Window final : public Table {
 public:
  Window(std::string_view type, std::string_view formula) : type_(type), formula_(formula) {}
  std::string_view type() const override { return type_; }
  std::string_view formula() const override { return formula_; }
  const Attributes& attributes() const override {
    static const Attributes all = {{"output_datatype", kInt}, {"periodic", kInt}};
    return all;
  }
  Result<std::vector<TensorType>> infer(const OpInstance& op) const override {
    FRIT_TRY(check_inputs(op, 1, 1));
    const auto dtype = result_dtype(op);
    if (!dtype) return fail(dtype.error());
    const auto size = integer(op, 0, "size", 0);
    if (!size) return fail(size.error());
    FRIT_TRY(check_size(op, {*size}));
    return std::vector{TensorType(*dtype, {*size})};
  }

 private:
  std::string_view type_, formula_;
};

class MelWeightMatrix final : public Table {
 public:
  std::string_view type() const override { return "MelWeightMatrix"; }
  std::string_view formula() const override {
    return "out[f,m] = height at f of triangle m: 0 at c[m], 1 at c[m+1], 0 at c[m+2]\n"
           "c[m] = floor((dft_length + 1) * hertz(m) / sample_rate), equally spaced in mel from "
           "lower to upper edge\n"
           "mel(hertz) = 2595 log10(1 + hertz / 700)";
  }
  const Attributes& attributes() const override {
    static const Attributes all = {{"output_datatype", kInt}};
    return all;
  }
  Result<std::vector<TensorType>> infer(const OpInstance& op) const override {
    FRIT_TRY(check_inputs(op, 5, 5));
    const auto dtype = result_dtype(op);
    if (!dtype) return fail(dtype.error());
    const auto bins = integer(op, 0, "num_mel_bins", 1);
    if (!bins) return fail(bins.error());
    const auto length = integer(op, 1, "dft_length", 1);
    if (!length) return fail(length.error());
    if (const auto rate = integer(op, 2, "sample_rate", 1); !rate) return fail(rate.error());
    for (const std::size_t i : {3U, 4U}) {
      const char* name = i == 3 ? "lower_edge_hertz" : "upper_edge_hertz";
      const auto edge = constant_input(op, i, name);
      if (!edge) return fail(edge.error());
      FRIT_TRY(check_dtype(op, i, name, float_types()));
      if ((*edge)->elements() == 1 && (*edge)->to_doubles()[0] >= 0.0) continue;
      return fail("onnx-shape", fmt::format("{}: {} must be one number of at least 0; correct the "
                                            "model",
                                            label(op), name));
    }
    const std::vector<std::int64_t> dims = {*length / 2 + 1, *bins};
    FRIT_TRY(check_size(op, dims));
    return std::vector{TensorType(*dtype, dims)};
  }
};

}  // namespace

void add_windows(std::vector<const Operator*>& all) {
  all.push_back(new Window("BlackmanWindow",
                           "out[n] = 0.42 - 0.5 * cos(2 pi n / N) + 0.08 * cos(4 pi n / N)\n"
                           "N = size, or size - 1 where not periodic"));
  all.push_back(new Window("HammingWindow",
                           "out[n] = 25/46 - 21/46 * cos(2 pi n / N)\n"
                           "N = size, or size - 1 where not periodic"));
  all.push_back(new Window("HannWindow",
                           "out[n] = 1/2 - 1/2 * cos(2 pi n / N)\n"
                           "N = size, or size - 1 where not periodic"));
  all.push_back(new MelWeightMatrix);
}

}  // namespace frit
