#include "schedules/pipeline_view.h"

namespace frit {

Stage* PipelineView::stage(const std::string& role) const {
  for (Stage* candidate : stages) {
    if (candidate->role == role) return candidate;
  }
  return nullptr;
}

}  // namespace frit
