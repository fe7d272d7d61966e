#include "apps/ocr/order.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace ocr {

namespace {

/// A box by what the order asks of it, on the page turned so that its lines run to the right.
struct Extent {
  std::size_t index = 0;
  double left = 0.0, right = 0.0, centre_y = 0.0, line_height = 0.0;
};
using Row = std::vector<Extent>;

/// Columns of the page without text in the rows looked at so far.
struct Gap {
  double begin = 0.0, end = 0.0;
  bool text_left = false, text_right = false;  ///< in those rows
};

/// The direction among right, down, left and up of the page in which most boxes are read; the first
/// of those with as many.
Point way_of_reading(const std::vector<Rectangle>& boxes) {
  constexpr std::array<Point, 4> kWays = {Point{1, 0}, Point{0, 1}, Point{-1, 0}, Point{0, -1}};
  std::array<int, 4> votes = {};
  for (const Rectangle& box : boxes) {
    const double x = box.right.x, y = box.right.y;
    ++votes[std::abs(x) >= std::abs(y) ? (x >= 0 ? 0U : 2U) : (y >= 0 ? 1U : 3U)];
  }
  const auto most = std::max_element(votes.begin(), votes.end());
  return kWays[static_cast<std::size_t>(most - votes.begin())];
}

Row extents_of(const std::vector<Rectangle>& boxes) {
  const Point right = way_of_reading(boxes);
  const auto across = [right](Point point) { return point.x * right.x + point.y * right.y; };
  const auto along = [right](Point point) { return point.y * right.x - point.x * right.y; };
  Row extents;
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    double low = across(boxes[i].centre), high = low;
    for (const Point& corner : boxes[i].corners()) {
      low = std::min(low, across(corner));
      high = std::max(high, across(corner));
    }
    extents.push_back(
        {i, low, high, along(boxes[i].centre), std::min(boxes[i].width, boxes[i].height)});
  }
  return extents;
}

std::vector<Row> rows_of(Row extents) {
  std::stable_sort(extents.begin(), extents.end(),
                   [](const Extent& a, const Extent& b) { return a.centre_y < b.centre_y; });
  std::vector<Row> rows;
  for (const Extent& extent : extents) {
    const bool joins =
        !rows.empty() && extent.centre_y - rows.back().front().centre_y <
                             std::min(extent.line_height, rows.back().front().line_height) / 2;
    if (!joins) rows.emplace_back();
    rows.back().push_back(extent);
  }
  for (Row& row : rows) {
    std::stable_sort(row.begin(), row.end(),
                     [](const Extent& a, const Extent& b) { return a.left < b.left; });
  }
  return rows;
}

/// What is left of `gaps` where the row has no box, if wider than `least`.
std::vector<Gap> without(const std::vector<Gap>& gaps, const Row& row, double least) {
  std::vector<Gap> left;
  for (const Gap& gap : gaps) {
    double begin = gap.begin;
    const auto keep = [&](double end) {
      if (end - begin <= least) return;
      left.push_back({begin, end, gap.text_left || row.front().left < begin,
                      gap.text_right || row.back().left >= end});
    };
    for (const Extent& extent : row) {  // by rising left edge
      keep(std::min(extent.left, gap.end));
      begin = std::max(begin, extent.right);
    }
    keep(gap.end);
  }
  return left;
}

struct Sides {
  Row left, right;
};

Sides sides_of(const std::vector<Row>& rows, std::size_t begin, std::size_t end, double cut) {
  Sides sides;
  for (std::size_t i = begin; i < end; ++i) {
    for (const Extent& extent : rows[i]) {
      (extent.left < cut ? sides.left : sides.right).push_back(extent);
    }
  }
  return sides;
}

double width_of(const Row& side) {
  double left = std::numeric_limits<double>::infinity(), right = -left;
  for (const Extent& extent : side) {
    left = std::min(left, extent.left);
    right = std::max(right, extent.right);
  }
  return right - left;
}

bool are_columns(const Sides& sides, const Gap& gap) {
  if (sides.left.size() < 2 || sides.right.size() < 2) return false;
  const double left = width_of(sides.left), right = width_of(sides.right);
  const double between = gap.end - gap.begin, narrower = std::min(left, right);
  return narrower >= between && narrower >= 0.22 * (left + between + right);
}

/// The rows from `begin` on that one gap between texts runs through: their end, and the gap.
struct Stretch {
  std::size_t end = 0;
  Gap gap;
};

Stretch stretch_from(const std::vector<Row>& rows, std::size_t begin) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  std::vector<Gap> gaps = {{-kInfinity, kInfinity}};
  Stretch stretch{begin, {}};
  for (std::size_t i = begin; i < rows.size() && !gaps.empty(); ++i) {
    gaps = without(gaps, rows[i], rows[i].front().line_height / 2);
    double widest = 0.0;
    for (const Gap& gap : gaps) {
      if (!gap.text_left || !gap.text_right || gap.end - gap.begin <= widest) continue;
      widest = gap.end - gap.begin;
      stretch = {i + 1, gap};
    }
  }
  return stretch;
}

void append(const Row& boxes, std::vector<std::size_t>& order);

void append_rows(const std::vector<Row>& rows, std::vector<std::size_t>& order) {
  for (std::size_t i = 0; i < rows.size();) {
    const Stretch stretch = stretch_from(rows, i);
    const Sides sides = sides_of(rows, i, stretch.end, (stretch.gap.begin + stretch.gap.end) / 2);
    if (stretch.end > i && are_columns(sides, stretch.gap)) {
      append(sides.left, order);
      append(sides.right, order);
      i = stretch.end;
    } else {
      for (const Extent& extent : rows[i]) order.push_back(extent.index);
      ++i;
    }
  }
}

void append(const Row& boxes, std::vector<std::size_t>& order) {
  append_rows(rows_of(boxes), order);
}

}  // namespace

std::vector<std::size_t> reading_order(const std::vector<Rectangle>& boxes) {
  std::vector<std::size_t> order;
  append(extents_of(boxes), order);
  return order;
}

}  // namespace ocr
