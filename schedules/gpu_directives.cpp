// Directives that map loops to a GPU's blocks, threads and lanes. The device (CUDA, OpenCL) is the
// target's, so no directive names it.
#include "schedules/directives.h"

namespace frit {
namespace {

using Halide::VarOrRVar;
using Scope = DirectiveSpec::Scope;

void gpu_blocks(DirectiveCall& call) {
  const auto l = call.loops(0, call.count());
  if (!call.ok()) return;
  Halide::Stage stage = call.halide();
  if (l.size() == 1) stage.gpu_blocks(l[0].var());
  if (l.size() == 2) stage.gpu_blocks(l[0].var(), l[1].var());
  if (l.size() == 3) stage.gpu_blocks(l[0].var(), l[1].var(), l[2].var());
}

void gpu_threads(DirectiveCall& call) {
  const auto l = call.loops(0, call.count());
  if (!call.ok()) return;
  Halide::Stage stage = call.halide();
  if (l.size() == 1) stage.gpu_threads(l[0].var());
  if (l.size() == 2) stage.gpu_threads(l[0].var(), l[1].var());
  if (l.size() == 3) stage.gpu_threads(l[0].var(), l[1].var(), l[2].var());
}

void gpu_lanes(DirectiveCall& call) {
  const Loop loop = call.loop(0);
  if (call.ok()) call.halide().gpu_lanes(loop.var());
}

void gpu_single_thread(DirectiveCall& call) { call.halide().gpu_single_thread(); }

void gpu(DirectiveCall& call) {
  const auto l = call.loops(0, call.count());
  if (!call.ok()) return;
  Halide::Stage stage = call.halide();
  if (l.size() == 2) {
    stage.gpu(l[0].var(), l[1].var());
  } else if (l.size() == 4) {
    stage.gpu(l[0].var(), l[1].var(), l[2].var(), l[3].var());
  } else if (l.size() == 6) {
    stage.gpu(l[0].var(), l[1].var(), l[2].var(), l[3].var(), l[4].var(), l[5].var());
  } else {
    call.fail_at(call.call().span, "sched-arguments",
                 "gpu wants as many threads as blocks: 2, 4 or 6 loops");
  }
}

// gpu_tile(x, bx, tx, size [, tail]), (x, tx, size), (x, y, bx, by, tx, ty, sx, sy), (x, y, tx, ty,
// sx, sy), and the same in three dimensions. The number of sizes at the end tells the dimensions.
struct TileShape {
  std::size_t dims = 0;
  bool names_blocks = false;
  bool has_tail = false;
};

bool shape_of_tile(std::size_t count, bool last_is_tail, TileShape& shape) {
  const std::size_t plain = count - (last_is_tail ? 1 : 0);
  shape.has_tail = last_is_tail;
  for (const std::size_t dims : {std::size_t{1}, std::size_t{2}, std::size_t{3}}) {
    if (plain == 4 * dims || plain == 3 * dims) {
      shape.dims = dims;
      shape.names_blocks = plain == 4 * dims;
      return true;
    }
  }
  return false;
}

bool is_tail_word(const Expression& e) {
  if (e.kind != Expression::Kind::kName) return false;
  for (const char* tail : {"Auto", "GuardWithIf", "ShiftInwards", "RoundUp", "Predicate"}) {
    if (e.text == tail || e.text == std::string("TailStrategy::") + tail) return true;
  }
  return false;
}

void gpu_tile(DirectiveCall& call) {
  TileShape shape;
  if (!shape_of_tile(call.count(), is_tail_word(call.argument(call.count() - 1)), shape)) {
    call.fail_at(call.call().span, "sched-arguments",
                 "gpu_tile wants loops, then as many new names (blocks, threads) and sizes");
    return;
  }
  const std::size_t threads_at = shape.names_blocks ? 2 * shape.dims : shape.dims;
  std::vector<VarOrRVar> blocks;
  std::vector<VarOrRVar> threads;
  for (std::size_t d = 0; d < shape.dims; ++d) {
    const Loop old = call.loop(d);
    const std::size_t block_at = shape.names_blocks ? shape.dims + d : d;
    const VarOrRVar block = call.fresh(block_at, old.is_reduction, {old.name});
    const VarOrRVar thread = call.fresh(threads_at + d, old.is_reduction, {old.name});
    const std::int64_t size = call.integer(threads_at + shape.dims + d, 1);
    const auto tail = tail_for(call, shape.has_tail ? call.count() - 1 : call.count(), old, size);
    if (!call.ok()) return;
    call.halide().split(old.var(), block, thread, static_cast<int>(size), tail);
    split_extent(call, old.name, call.argument(block_at).text, call.argument(threads_at + d).text,
                 size);
    blocks.push_back(block);
    threads.push_back(thread);
  }
  std::vector<VarOrRVar> order = threads;
  order.insert(order.end(), blocks.begin(), blocks.end());
  Halide::Stage stage = call.halide();
  stage.reorder(order);
  for (std::size_t d = 0; d < shape.dims; ++d) {
    stage.gpu_blocks(blocks[d]);
    stage.gpu_threads(threads[d]);
  }
}

}  // namespace

std::vector<DirectiveSpec> gpu_directives() {
  constexpr Scope kDef = Scope::kDefinition;
  return {
      {"gpu_blocks", kDef, 1, 3, "gpu_blocks(x [, y [, z]])", gpu_blocks},
      {"gpu_threads", kDef, 1, 3, "gpu_threads(x [, y [, z]])", gpu_threads},
      {"gpu_lanes", kDef, 1, 1, "gpu_lanes(loop)", gpu_lanes},
      {"gpu_single_thread", kDef, 0, 0, "gpu_single_thread()", gpu_single_thread},
      {"gpu", kDef, 2, 6, "gpu(block_x, …, thread_x, …)", gpu},
      {"gpu_tile", kDef, 3, 13, "gpu_tile(x, …, [bx, …,] tx, …, size_x, … [, tail])", gpu_tile},
  };
}

}  // namespace frit
