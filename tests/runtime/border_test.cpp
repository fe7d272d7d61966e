#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <vector>

extern "C" {
#include "runtime/border.h"
#include "runtime/copy.h"
}

namespace {

// Fills a buffer whose elements are all 0x5A.. and checks element by element.
template <class T>
void expect_border(const std::vector<frit_border_axis>& axes, T fill) {
  std::size_t count = 1;
  for (const frit_border_axis& axis : axes) {
    count *= static_cast<std::size_t>(axis.low + axis.extent + axis.high);
  }
  T inside;
  std::memset(&inside, 0x5A, sizeof inside);
  std::vector<T> buffer(count + 2, inside);  // one element before and one behind
  frit_fill_border(buffer.data() + 1, sizeof(T), &fill, static_cast<int>(axes.size()), axes.data());
  EXPECT_EQ(buffer.front(), inside);
  EXPECT_EQ(buffer.back(), inside);
  for (std::size_t i = 0; i < count; ++i) {
    std::size_t rest = i;
    bool border = false;
    for (std::size_t axis = axes.size(); axis-- > 0;) {
      const auto all =
          static_cast<std::size_t>(axes[axis].low + axes[axis].extent + axes[axis].high);
      const auto at = static_cast<int>(rest % all) - axes[axis].low;
      rest /= all;
      border = border || at < 0 || at >= axes[axis].extent;
    }
    ASSERT_EQ(buffer[i + 1], border ? fill : inside) << "element " << i;
  }
}

TEST(Border, AroundAChannelsLastPicture) {
  expect_border<float>({{1, 0, 0}, {5, 1, 2}, {7, 2, 1}, {3, 0, 0}}, -1.5F);
  expect_border<float>({{2, 0, 0}, {5, 1, 1}, {7, 1, 1}, {16, 0, 0}}, 0.0F);
}

TEST(Border, OnAnyAxisOfAnyElementSize) {
  std::mt19937 random(9);
  for (int round = 0; round < 200; ++round) {
    std::vector<frit_border_axis> axes(1 + random() % 5);
    for (frit_border_axis& axis : axes) {
      axis.extent = static_cast<std::int32_t>(random() % 4);
      axis.low = static_cast<std::int32_t>(random() % 3);
      axis.high = static_cast<std::int32_t>(random() % 3);
    }
    expect_border<float>(axes, 3.25F);
    expect_border<double>(axes, -0.1);
    expect_border<std::int8_t>(axes, std::int8_t{-128});
    expect_border<std::uint16_t>(axes, std::uint16_t{0x1234});
  }
}

TEST(Border, NoneLeavesTheBufferAlone) {
  expect_border<float>({{3, 0, 0}, {4, 0, 0}}, 1.0F);
  frit_fill_border(nullptr, 4, "\0\0\0\0", 0, nullptr);
}

TEST(Copy, BetweenAnyStrides) {
  // [2,3,4] dense -> last axis outermost, each element on its own.
  std::vector<std::int16_t> from(24), to(24, 0);
  for (std::size_t i = 0; i < from.size(); ++i) from[i] = static_cast<std::int16_t>(i);
  const std::vector<frit_copy_axis> axes = {{2, 2, 24}, {3, 4, 8}, {4, 12, 2}};
  frit_copy(to.data(), from.data(), 2, 3, axes.data());
  for (std::size_t a = 0; a < 2; ++a) {
    for (std::size_t b = 0; b < 3; ++b) {
      for (std::size_t c = 0; c < 4; ++c)
        EXPECT_EQ(to[a + 2 * b + 6 * c], from[a * 12 + b * 4 + c]);
    }
  }
}

TEST(Copy, OfAScalarAndOfNothing) {
  const double from = 2.5;
  double to = 0;
  frit_copy(&to, &from, 8, 0, nullptr);
  EXPECT_EQ(to, 2.5);
  const frit_copy_axis none[] = {{0, 8, 8}, {3, 8, 8}};
  frit_copy(nullptr, nullptr, 8, 2, none);
}

}  // namespace
