// The shipped library: every file parses, prints to its normal form, and applies.
#include <Halide.h>
#include <gtest/gtest.h>

#include <random>

#include "schedules/schedule.h"
#include "tests/schedules/library_testing.h"

namespace frit::testing {
namespace {

bool has_opencl() {
  Halide::Target target = Halide::get_host_target();
  target.set_feature(Halide::Target::OpenCL);
  return Halide::host_supports_target_device(target);
}

TEST(Library, EveryFileParsesAndPrintsToANormalForm) {
  ASSERT_FALSE(shipped_schedules().empty());
  for (const Schedule& schedule : shipped_schedules()) {
    SCOPED_TRACE(schedule.file);
    const std::string once = print_schedule(schedule);
    const auto again = parse_schedule(once, schedule.file);
    ASSERT_TRUE(again.has_value());
    EXPECT_EQ(once, print_schedule(*again));
  }
}

// A folder given with --schedules is in the order of its names.
TEST(Library, HighestPriorityThatAppliesIsTakenWhateverTheOrder) {
  std::vector<Schedule> candidates;
  for (const auto& [file, rest] :
       std::vector<std::pair<std::string, std::string>>{{"a", "priority 1\n"},
                                                        {"b", "priority 3\nwhen m > 1\n"},
                                                        {"c", "priority 2\n"},
                                                        {"d", "priority 2\n"}}) {
    auto parsed = parse_schedule("schedule 1\nfor matmul\n" + rest, file);
    ASSERT_TRUE(parsed.has_value()) << file;
    candidates.push_back(std::move(*parsed));
  }
  EXPECT_EQ(choose_schedule(candidates, "matmul", {{"m", 1}})->file, "c");
  EXPECT_EQ(choose_schedule(candidates, "matmul", {{"m", 2}})->file, "b");
  EXPECT_EQ(choose_schedule(candidates, "conv2d", {{"m", 2}}), nullptr);
}

void convolution(std::int64_t c, std::int64_t k, std::int64_t size, std::int64_t kernel,
                 std::int64_t stride, const std::string& schedule) {
  SCOPED_TRACE(::testing::Message()
               << c << "->" << k << " " << size << " k" << kernel << " s" << stride);
  GraphBuilder builder;
  const ValueId x = builder.input("x", {1, c, size, size});
  const ValueId conv = builder.conv("conv", x, k, kernel, stride);
  builder.output(builder.add("Relu", "relu", {conv}));
  expect_all_equal(builder, "conv2d", schedule);
}

TEST(Library, DirectConvolution) {
  convolution(3, 16, 9, 3, 1, "conv2d_direct.sched");
  convolution(3, 32, 31, 3, 2, "conv2d_direct.sched");
  convolution(16, 64, 7, 1, 1, "conv2d_direct.sched");
  convolution(8, 48, 8, 5, 1, "conv2d_direct.sched");
}

void depthwise(std::int64_t k, std::int64_t size, std::int64_t kernel, std::int64_t stride,
               const std::string& schedule) {
  SCOPED_TRACE(::testing::Message() << k << " " << size << " k" << kernel << " s" << stride);
  GraphBuilder builder;
  const ValueId x = builder.input("x", {1, k, size, size});
  const ValueId conv = builder.conv("conv", x, k, kernel, stride, k);
  builder.output(builder.add("HardSwish", "act", {conv}));
  expect_all_equal(builder, "depthwise", schedule);
}

TEST(Library, DepthwiseConvolution) {
  depthwise(32, 7, 3, 1, "depthwise_direct.sched");
  depthwise(17, 9, 5, 2, "depthwise_direct.sched");
  depthwise(7, 8, 3, 1, "");
}

using Ints = std::vector<std::int64_t>;

void grouped(std::int64_t channels, std::int64_t k, std::int64_t groups, std::int64_t size,
             std::int64_t kernel, const std::string& schedule) {
  SCOPED_TRACE(::testing::Message() << channels << "->" << k << " in " << groups << ", " << size);
  GraphBuilder builder;
  const ValueId x = builder.input("x", {1, channels, size, size + 1});
  const ValueId conv = builder.conv("conv", x, k, kernel, 1, groups);
  builder.output(builder.add("Relu", "relu", {conv}));
  expect_all_equal(builder, "grouped_conv2d", schedule);
}

// A vector that reads the inputs of two groups gathers: 168 against 5.6 ms in light_shufflenet.
TEST(Library, GroupsOfAnyNumberOfChannels) {
  grouped(8, 64, 2, 9, 3, "grouped_direct.sched");
  grouped(24, 112, 4, 9, 1, "grouped_overlap.sched");  // 28 each
  grouped(136, 136, 4, 7, 1, "grouped_overlap.sched");
  grouped(6, 51, 3, 8, 3, "grouped_overlap.sched");  // 17 each
  grouped(8, 14, 2, 9, 3, "grouped_overlap.sched");  // 7 each: vectors of 4
  grouped(4, 18, 2, 7, 3, "grouped_overlap.sched");  // 9 each: vectors of 8
  grouped(8, 6, 2, 9, 1, "");
}

void transposed(std::int64_t c, std::int64_t k, const Ints& size, std::int64_t kernel,
                const AttributeMap& attributes, bool reads_conv, const std::string& anchor,
                const std::string& schedule) {
  SCOPED_TRACE(::testing::Message() << c << "->" << k << " " << size[0] << " k" << kernel);
  GraphBuilder builder;
  ValueId x = builder.input("x", {1, c, size[0], size[1]});
  if (reads_conv) x = builder.conv("conv", x, c, 1);
  const ValueId w = builder.constant("w", {c, k, kernel, kernel});
  const ValueId up = builder.add("ConvTranspose", "up", {x, w}, attributes);
  builder.output(builder.add("Sigmoid", "act", {up}));
  expect_all_equal(builder, anchor, schedule);
}

TEST(Library, TransposedConvolutions) {
  const AttributeMap two = {{"strides", Ints{2, 2}}};
  const std::string direct = "conv_transpose_direct.sched", wide = "conv_transpose2d";
  transposed(24, 24, {5, 7}, 2, two, true, wide, direct);
  transposed(8, 40, {4, 9}, 3, two, true, wide, direct);  // 19 columns: phases of a tile unknown
  transposed(3, 5, {7, 8}, 3, {{"strides", Ints{3, 1}}, {"dilations", Ints{2, 3}}}, true, wide,
             direct);
  const std::string few = "narrow_transpose2d", cells = "conv_transpose_narrow.sched";
  transposed(24, 1, {5, 32}, 2, two, true, few, cells);
  transposed(3, 1, {5, 17}, 4, {{"strides", Ints{4, 2}}, {"pads", Ints{0, 2, 0, 2}}}, true, few,
             cells);
  transposed(3, 2, {5, 16}, 3,
             {{"strides", Ints{2, 2}}, {"pads", Ints{1, 1, 1, 1}}, {"output_padding", Ints{1, 1}}},
             true, few, cells);
  transposed(5, 1, {3, 7}, 2, two, false, few, "");
}

void transposed_depthwise(std::int64_t k, std::int64_t kernel, const AttributeMap& attributes,
                          const std::string& schedule) {
  SCOPED_TRACE(::testing::Message() << k << " k" << kernel);
  GraphBuilder builder;
  const ValueId x = builder.conv("conv", builder.input("x", {1, 3, 5, 9}), k, 1);
  const ValueId w = builder.constant("w", {k, 1, kernel, kernel});
  AttributeMap grouped = attributes;
  grouped["group"] = k;
  builder.output(builder.add("Relu", "act", {builder.add("ConvTranspose", "up", {x, w}, grouped)}));
  expect_all_equal(builder, "depthwise_transpose2d", schedule);
}

TEST(Library, TransposedDepthwiseConvolutions) {
  const AttributeMap bilinear = {{"strides", Ints{2, 2}}, {"pads", Ints{1, 1, 1, 1}}};
  transposed_depthwise(24, 4, bilinear, "depthwise_transpose.sched");
  transposed_depthwise(16, 3, bilinear, "depthwise_transpose.sched");
  transposed_depthwise(5, 4, bilinear, "");
}

TEST(Library, LocalResponseNorm) {
  for (const std::int64_t c : {48, 33}) {
    GraphBuilder builder;
    const ValueId x = builder.input("x", {1, 3, 5, 7});
    const ValueId conv = builder.conv("conv", x, c, 3);
    const ValueId norm =
        builder.add("LRN", "norm", {conv}, {{"size", std::int64_t{5}}, {"alpha", 0.5f}});
    builder.output(builder.conv("after", norm, 16, 1));
    expect_all_equal(builder, "lrn", "lrn_channels.sched");
  }
}

TEST(Library, ResizesOnTheWay) {
  for (const std::string mode : {"nearest", "linear"}) {
    GraphBuilder builder;
    const ValueId conv = builder.conv("conv", builder.input("x", {1, 3, 5, 7}), 24, 3);
    const ValueId scales = builder.constant("s", Tensor::f32({4}, {1, 1, 2, 3}));
    const ValueId up = builder.add("Resize", "up", {conv, kNone, scales}, {{"mode", mode}});
    builder.output(builder.conv("after", up, 16, 3));
    expect_all_equal(builder, "elementwise", "");
  }
}

void product(const std::vector<std::int64_t>& a, const std::vector<std::int64_t>& b, bool constant,
             const std::string& schedule) {
  SCOPED_TRACE(dims_text(a) + " x " + dims_text(b));
  GraphBuilder builder;
  const ValueId x = builder.input("x", a);
  const ValueId w = constant ? builder.constant("w", b) : builder.input("w", b);
  const ValueId product = builder.add("MatMul", "product", {x, w});
  builder.output(builder.add("Relu", "relu", {product}));
  expect_all_equal(builder, "matmul", schedule);
}

TEST(Library, Products) {
  product({9, 31}, {31, 48}, true, "matmul_packed.sched");
  product({2, 7, 8}, {8, 33}, true, "matmul_packed.sched");
  product({1, 1100}, {1100, 65}, true, "matvec_long.sched");
  product({1, 1, 1024}, {1024, 128}, true, "matvec_long.sched");
  product({1, 40}, {40, 65}, true, "matmul_packed.sched");
  product({2, 3, 9, 5}, {2, 3, 5, 17}, false, "");
  product({7, 9}, {9}, false, "");
  product({5}, {5, 31}, true, "");
}

void row_operator(const std::string& type, const std::vector<std::int64_t>& dims, std::int64_t axis,
                  const std::string& schedule) {
  SCOPED_TRACE(type + " " + dims_text(dims) + " axis " + std::to_string(axis));
  GraphBuilder builder;
  const ValueId x = builder.input("x", dims);
  std::string anchor = "softmax";
  if (type == "Softmax") {
    builder.output(builder.add(type, "rows", {x}, {{"axis", axis}}));
  } else {
    anchor = "layer_norm";
    const std::vector<std::int64_t> normalised(dims.begin() + axis, dims.end());
    const ValueId scale = builder.constant("scale", normalised);
    const ValueId bias = builder.constant("bias", normalised);
    builder.output(builder.add(type, "rows", {x, scale, bias}, {{"axis", axis}}));
  }
  expect_all_equal(builder, anchor, schedule);
}

TEST(Library, Rows) {
  if (find_operator("", "Softmax") == nullptr) GTEST_SKIP() << "no operator Softmax";
  row_operator("Softmax", {7, 31}, 1, "softmax_rows.sched");
  row_operator("Softmax", {2, 3, 65}, 2, "softmax_rows.sched");
  row_operator("Softmax", {3, 9, 17}, 1, "");
  row_operator("Softmax", {9, 7}, 1, "");
  row_operator("LayerNormalization", {9, 48}, 1, "layer_norm_rows.sched");
  row_operator("LayerNormalization", {1, 8, 33}, 2, "layer_norm_rows.sched");
  row_operator("LayerNormalization", {2, 5, 33}, 1, "layer_norm_planes.sched");
  row_operator("LayerNormalization", {1, 3, 64}, 1, "layer_norm_planes.sched");
  row_operator("LayerNormalization", {2, 7, 3}, 1, "");
}

void reduction(const std::string& type, const std::vector<std::int64_t>& dims,
               const std::vector<std::int64_t>& axes, const std::string& schedule) {
  SCOPED_TRACE(type + " " + dims_text(dims) + " over " + dims_text(axes));
  GraphBuilder builder;
  const ValueId x = builder.input("x", dims);
  builder.output(
      builder.add(type, "reduced", {x}, {{"axes", axes}, {"keepdims", std::int64_t{1}}}));
  expect_all_equal(builder, "reduce", schedule);
}

TEST(Library, Reductions) {
  if (find_operator("", "ReduceSum") == nullptr) GTEST_SKIP() << "no operator ReduceSum";
  reduction("ReduceSum", {3, 1031}, {1}, "reduce_long.sched");
  reduction("ReduceMean", {33, 64}, {0, 1}, "reduce_long.sched");
  reduction("ReduceMax", {1, 4096}, {1}, "reduce_long.sched");
  reduction("ReduceMean", {2, 9, 31}, {1}, "");
  reduction("ReduceSumSquare", {1, 7, 8}, {2}, "");
}

// [n,c,1,1] in the caller's order runs along c: 45 against 2.5 ms at 64x320x320.
TEST(Library, APoolThatEndsTheGraphRunsAlongChannels) {
  GraphBuilder builder;
  const ValueId conv = builder.conv("conv", builder.input("x", {1, 3, 9, 7}), 32, 3);
  builder.output(builder.add("GlobalAveragePool", "mean", {conv}));
  expect_all_equal(builder, "reduce", "reduce_channels.sched");
}

// Its maximum is made of integer keys: a NaN-propagating one is not known to be associative.
TEST(Library, AGlobalMaximumIsSplitByRowsToo) {
  GraphBuilder builder;
  const ValueId conv = builder.conv("conv", builder.input("x", {1, 3, 9, 7}), 32, 3);
  const ValueId top = builder.add("GlobalMaxPool", "top", {conv});
  builder.output(builder.conv("after", top, 16, 1));
  expect_all_equal(builder, "reduce", "reduce_channels.sched");
}

TEST(Library, PoolsElementwiseAndTranspose) {
  GraphBuilder builder;
  const std::vector<std::int64_t> two = {2, 2};
  const ValueId x = builder.input("x", {1, 24, 9, 31});
  const ValueId conv = builder.conv("conv", x, 24, 3);
  const ValueId pool =
      builder.add("MaxPool", "pool", {conv}, {{"kernel_shape", two}, {"strides", two}});
  const ValueId mean = builder.add("GlobalAveragePool", "mean", {pool});
  const ValueId gate = builder.add("Sigmoid", "gate", {mean});
  builder.output(builder.add("Mul", "scaled", {pool, gate}));
  CheckOptions all;
  all.all_that_apply = true;
  expect_all_equal(builder, "pool", "", all);
}

// Through PoCL, where there is one: groups with several reductions, with windows and with rows.
TEST(OpenCl, TheSafeDefaultIsRight) {
  if (!has_opencl()) GTEST_SKIP() << "no OpenCL device";
  CheckOptions opencl;
  opencl.opencl = true;
  GraphBuilder builder;
  const ValueId x = builder.input("x", {1, 3, 9, 7});
  const ValueId conv = builder.conv("conv", x, 5, 3);
  const ValueId relu = builder.add("Relu", "relu", {conv});
  builder.output(builder.add("GlobalAveragePool", "mean", {relu}));
  expect_all_equal(builder, "conv2d", "", opencl);
  GraphBuilder rows;
  const ValueId y = rows.input("y", {3, 31});
  rows.output(rows.add("Softmax", "softmax", {y}, {{"axis", std::int64_t{1}}}));
  expect_all_equal(rows, "softmax", "", opencl);
  GraphBuilder product;
  const ValueId a = product.input("a", {2, 7, 9});
  const ValueId b = product.input("b", {2, 9, 8});
  product.output(product.add("MatMul", "product", {a, b}));
  expect_all_equal(product, "matmul", "", opencl);
}

TEST(Library, ConvolutionsOfOddChannels) {
  convolution(3, 7, 9, 3, 1, "");
  convolution(5, 17, 5, 1, 2, "");
}

// Sizes around every tile and vector, kinds and options at random: each group under every file that
// applies and under the default.
TEST(Library, SlowRandomShapes) {
  std::mt19937 random(2024);
  const auto among = [&](std::initializer_list<std::int64_t> values) {
    return *(values.begin() + static_cast<std::ptrdiff_t>(random() % values.size()));
  };
  CheckOptions options;
  options.all_that_apply = true;
  for (int round = 0; round < 40; ++round) {
    options.threads = static_cast<int>(among({1, 2}));
    GraphBuilder builder;
    const std::int64_t c = among({1, 3, 16, 17, 31, 48}), size = among({1, 2, 7, 9, 13});
    const std::int64_t k = among({5, 16, 17, 31, 33, 48, 65, 96});
    const std::int64_t kernel = among({1, 3, 5}), stride = among({1, 2});
    std::string what = "conv " + std::to_string(c) + "->" + std::to_string(k) + " size " +
                       std::to_string(size) + " k" + std::to_string(kernel);
    if (round % 2 == 0) {
      const ValueId x = builder.input("x", {among({1, 2}), c, size, size + among({0, 1, 6})});
      const ValueId conv = builder.conv("conv", x, k, kernel, stride);
      const ValueId act = builder.add("HardSwish", "act", {conv});
      const ValueId depth = builder.conv("depthwise", act, k, 3, 1, k);
      builder.output(builder.add("GlobalAveragePool", "mean", {depth}));
      builder.output(act);
    } else {
      const std::int64_t m = among({1, 2, 7, 9, 31}), n = among({1, 5, 15, 16, 40, 65, 129});
      what = "rows " + std::to_string(m) + "x" + std::to_string(c) + "x" + std::to_string(n);
      const ValueId a = builder.input("a", {2, m, c});
      const ValueId b = builder.input("b", {2, c, n});
      const ValueId product = builder.add("MatMul", "product", {a, b});
      const ValueId soft = builder.add("Softmax", "soft", {product}, {{"axis", among({1, 2})}});
      const ValueId w = builder.constant("w", {n, k});
      builder.output(builder.add("MatMul", "packed", {soft, w}));
      builder.output(builder.add(
          "ReduceMax", "top", {product},
          {{"axes", std::vector<std::int64_t>{among({1, 2})}}, {"keepdims", std::int64_t{1}}}));
    }
    SCOPED_TRACE("round " + std::to_string(round) + ": " + what);
    for (const Checked& one : check_groups(builder, options)) {
      EXPECT_EQ(one.failure, "") << one.group << " under " << one.schedule;
    }
  }
}

}  // namespace
}  // namespace frit::testing
