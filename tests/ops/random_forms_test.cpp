// Random attributes and shapes of the windowed and injective operators, against the reference.
// A form that both sides refuse is no failure; one that only the Halide side refuses is.
#include <gtest/gtest.h>

#include <random>

#include "tests/support/against_reference.h"

namespace frit::test {
namespace {

using Ints = std::vector<std::int64_t>;

/// Small integers from one seed.
class Dice {
 public:
  explicit Dice(unsigned seed) : generator_(seed) {}
  std::int64_t pick(std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(generator_);
  }
  Ints picks(std::size_t count, std::int64_t low, std::int64_t high) {
    Ints values(count);
    for (auto& value : values) value = pick(low, high);
    return values;
  }
  bool one_in(std::int64_t count) { return pick(1, count) == 1; }

 private:
  std::mt19937 generator_;
};

std::string text_of(const OpCase& test) {
  std::string text = test.op.type;
  for (const auto& input : test.op.inputs) text += " " + (input ? to_text(*input) : "-");
  for (const auto& [name, value] : test.op.attributes) text += " " + name + "=" + to_text(value);
  return text;
}

void add_window(Dice& dice, const Ints& spatial, AttributeMap& attributes) {
  const std::size_t rank = spatial.size();
  attributes["strides"] = dice.picks(rank, 1, 3);
  if (dice.one_in(3)) attributes["dilations"] = dice.picks(rank, 1, 3);
  if (dice.one_in(3)) {
    const char* modes[] = {"SAME_UPPER", "SAME_LOWER", "VALID"};
    attributes["auto_pad"] = std::string(modes[dice.pick(0, 2)]);
  } else if (!dice.one_in(4)) {
    attributes["pads"] = dice.picks(2 * rank, 0, 2);
  }
}

OpCase random_conv(Dice& dice) {
  const auto rank = static_cast<std::size_t>(dice.pick(1, 2));
  const std::int64_t group = dice.one_in(2) ? 1 : dice.pick(2, 4);
  const std::int64_t channels = dice.pick(1, 3), filters = group * dice.pick(1, 3);
  const Ints spatial = dice.picks(rank, 5, 11), kernel = dice.picks(rank, 1, 3);
  Ints in = {dice.pick(1, 2), group * channels}, w = {filters, channels};
  in.insert(in.end(), spatial.begin(), spatial.end());
  w.insert(w.end(), kernel.begin(), kernel.end());
  AttributeMap attributes = {{"group", group}};
  add_window(dice, spatial, attributes);
  return make_op(
      "Conv", 11, attributes,
      {random_tensor(DType::kF32, in, -1, 1, 1), random_tensor(DType::kF32, w, -1, 1, 2)});
}

OpCase random_pool(Dice& dice) {
  const auto rank = static_cast<std::size_t>(dice.pick(1, 2));
  const Ints spatial = dice.picks(rank, 5, 11);
  Ints in = {dice.pick(1, 2), dice.pick(1, 3)};
  in.insert(in.end(), spatial.begin(), spatial.end());
  AttributeMap attributes = {{"kernel_shape", dice.picks(rank, 1, 4)},
                             {"ceil_mode", dice.pick(0, 1)}};
  add_window(dice, spatial, attributes);
  const bool max = dice.one_in(2);
  if (!max) attributes["count_include_pad"] = dice.pick(0, 1);
  return make_op(max ? "MaxPool" : "AveragePool", 19, attributes,
                 {random_tensor(DType::kF32, in, -2, -1, 1)});
}

OpCase random_slice(Dice& dice) {
  const auto rank = static_cast<std::size_t>(dice.pick(1, 3));
  Ints steps = dice.picks(rank, -3, 2);
  for (auto& step : steps) step = step >= 0 ? step + 1 : step;
  const auto list = [&](const Ints& values) {
    return Tensor::i64({static_cast<std::int64_t>(values.size())}, values);
  };
  return make_op(
      "Slice", 13, {},
      {random_tensor(DType::kF32, dice.picks(rank, 0, 9), -1, 1, 1),
       list(dice.picks(rank, -12, 12)), list(dice.picks(rank, -12, 12)), std::nullopt, list(steps)},
      {1, 2, 4});
}

OpCase random_pad(Dice& dice) {
  const auto rank = static_cast<std::size_t>(dice.pick(1, 3));
  const char* modes[] = {"constant", "edge", "reflect"};
  const std::string mode = modes[dice.pick(0, 2)];
  const std::int64_t least = mode == "constant" ? -3 : 0;
  const Ints pads = dice.picks(2 * rank, least, 3);
  return make_op("Pad", 13, {{"mode", mode}},
                 {random_tensor(DType::kF32, dice.picks(rank, 4, 9), -1, 1, 1),
                  Tensor::i64({static_cast<std::int64_t>(pads.size())}, pads)},
                 {1});
}

/// A shape cut at random places out of the factors of another's element count.
OpCase random_reshape(Dice& dice) {
  const Ints factors = dice.picks(static_cast<std::size_t>(dice.pick(1, 6)), 1, 4);
  const auto cut = [&] {
    Ints dims = {1};
    for (const std::int64_t factor : factors) {
      if (dice.one_in(2)) dims.push_back(1);
      dims.back() *= factor;
    }
    return dims;
  };
  const Ints in = cut(), out = cut();
  return make_op("Reshape", 13, {},
                 {random_tensor(DType::kF32, in, -1, 1, 1),
                  Tensor::i64({static_cast<std::int64_t>(out.size())}, out)},
                 {1});
}

void expect_random(OpCase (*make)(Dice&), unsigned first_seed, int count) {
  for (unsigned seed = first_seed; seed < first_seed + static_cast<unsigned>(count); ++seed) {
    Dice dice(seed);
    const OpCase test = make(dice);
    SCOPED_TRACE("seed " + std::to_string(seed) + ": " + text_of(test));
    if (const std::string refusal = refusal_of(test); !refusal.empty()) {
      // Windows larger than the padded input, pads as large as the window.
      EXPECT_TRUE(refusal.find("its window spans") != std::string::npos ||
                  refusal.find("padding only") != std::string::npos ||
                  refusal.find("leave") != std::string::npos)
          << refusal;
      continue;
    }
    expect_as_reference(test);
    if (testing::Test::HasFailure()) return;
  }
}

TEST(RandomForms, Conv) { expect_random(random_conv, 1, 12); }
TEST(RandomForms, Pool) { expect_random(random_pool, 1, 12); }
TEST(RandomForms, Slice) { expect_random(random_slice, 1, 12); }
TEST(RandomForms, Pad) { expect_random(random_pad, 1, 12); }
TEST(RandomForms, Reshape) { expect_random(random_reshape, 1, 12); }

TEST(RandomFormsSlow, Conv) { expect_random(random_conv, 100, 150); }
TEST(RandomFormsSlow, Pool) { expect_random(random_pool, 100, 150); }
TEST(RandomFormsSlow, Slice) { expect_random(random_slice, 100, 150); }
TEST(RandomFormsSlow, Pad) { expect_random(random_pad, 100, 150); }
TEST(RandomFormsSlow, Reshape) { expect_random(random_reshape, 100, 150); }

}  // namespace
}  // namespace frit::test
