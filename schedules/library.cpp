// shipped_schedules: the embedded files, parsed once, most particular first.
#include "schedules/library.h"

#include <algorithm>
#include <utility>

#include "ops/base/assert.h"
#include "schedules/ast.h"
#include "schedules/schedule.h"

namespace frit {

const std::vector<Schedule>& shipped_schedules() {
  static const std::vector<Schedule> kShipped = [] {
    std::vector<Schedule> all;
    for (const LibraryFile& file : library_files()) {
      auto parsed = parse_schedule(file.text, file.name);
      FRIT_ASSERT(parsed.has_value(), "shipped schedule " + to_text(parsed.error().front()));
      all.push_back(std::move(*parsed));
    }
    std::stable_sort(all.begin(), all.end(), [](const Schedule& a, const Schedule& b) {
      return a.ast->priority > b.ast->priority;
    });
    return all;
  }();
  return kShipped;
}

}  // namespace frit
