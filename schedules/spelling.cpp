#include "schedules/spelling.h"

#include <algorithm>
#include <utility>

namespace frit {
namespace {

std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({change, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row.back();
}

}  // namespace

std::string nearest_word(std::string_view written, const std::vector<std::string_view>& words) {
  std::string best;
  std::size_t least = written.size() <= 3 ? 2 : 3;  // of a short word little would be left
  for (const std::string_view word : words) {
    const std::size_t edits = distance(written, word);
    if (edits >= least) continue;
    least = edits;
    best = word;
  }
  return best;
}

}  // namespace frit
