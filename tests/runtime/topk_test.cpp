// The heap of runtime/topk.c against a stable sort, of both widths of key, for rows with any
// strides.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

extern "C" {
#include "runtime/topk.h"
}

namespace {

template <class Key>
frit_buffer buffer_of(std::vector<Key>& data, std::vector<frit_dim>& dims) {
  frit_type type = {0, static_cast<std::uint8_t>(sizeof(Key) * 8), 1};
  return frit_host_buffer(data.data(), type, 2, dims.data());
}

template <class Key>
std::vector<std::int32_t> top(std::vector<Key> keys, std::int32_t n, std::int32_t k) {
  const auto rows = static_cast<std::int32_t>(keys.size()) / n;
  std::vector<frit_dim> key_dims = {{0, n, 1, 0}, {0, rows, n, 0}},
                        order_dims = {{0, k, 1, 0}, {0, rows, k, 0}};
  std::vector<std::int32_t> order(static_cast<std::size_t>(k * rows), -1);
  frit_buffer in = buffer_of(keys, key_dims), out = buffer_of(order, order_dims);
  EXPECT_EQ(frit_topk(&in, n, &out), 0);
  return order;
}

template <class Key>
void expect_as_sorted(const std::vector<Key>& keys, std::int32_t n, std::int32_t k) {
  const std::vector<std::int32_t> got = top(keys, n, k);
  for (std::size_t row = 0; row * static_cast<std::size_t>(n) < keys.size(); ++row) {
    const Key* first = keys.data() + row * static_cast<std::size_t>(n);
    std::vector<std::int32_t> want(static_cast<std::size_t>(n));
    std::iota(want.begin(), want.end(), 0);
    std::stable_sort(want.begin(), want.end(), [&](auto a, auto b) { return first[a] > first[b]; });
    want.resize(static_cast<std::size_t>(k));
    const auto begin = got.begin() + static_cast<std::ptrdiff_t>(row) * k;
    EXPECT_EQ(std::vector(begin, begin + k), want) << n << " " << k << " row " << row;
  }
}

TEST(TopKOfKeys, AsAStableSort) {
  std::mt19937 random(1);
  for (const std::int32_t n : {1, 2, 3, 17, 64, 257}) {
    for (const std::int32_t k : {1, 2, 16, n / 2, n}) {
      if (k < 1 || k > n) continue;
      for (const std::uint32_t spread : {1U, 5U, 100000U}) {  // all equal, many ties, few
        std::vector<std::int32_t> narrow(static_cast<std::size_t>(3 * n));
        for (auto& key : narrow) key = static_cast<std::int32_t>(random() % spread) - 2;
        expect_as_sorted(narrow, n, k);
        const std::vector<std::int64_t> wide(narrow.begin(), narrow.end());
        expect_as_sorted(wide, n, k);
      }
    }
  }
}

TEST(TopKOfKeys, ExtremesOfBothWidths) {
  EXPECT_EQ(top<std::int64_t>({INT64_MIN, INT64_MAX, 0}, 3, 3),
            (std::vector<std::int32_t>{1, 2, 0}));
  EXPECT_EQ(top<std::int32_t>({INT32_MIN, INT32_MIN, INT32_MAX}, 3, 3),
            (std::vector<std::int32_t>{2, 0, 1}));
}

TEST(TopKOfKeys, AsksForWholeRows) {
  std::vector<frit_dim> key_dims(2), order_dims = {{1, 2, 1, 0}, {5, 3, 2, 0}};
  frit_buffer keys = frit_host_buffer(nullptr, {0, 32, 1}, 2, key_dims.data());
  frit_buffer order = frit_host_buffer(nullptr, {0, 32, 1}, 2, order_dims.data());
  EXPECT_EQ(frit_topk(&keys, 9, &order), 0);
  EXPECT_EQ(key_dims[0].min, 0);
  EXPECT_EQ(key_dims[0].extent, 9);
  EXPECT_EQ(key_dims[1].min, 5);
  EXPECT_EQ(key_dims[1].extent, 3);
}

}  // namespace
