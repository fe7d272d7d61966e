// Buffers and their live ranges from a compiled model; see memory_plan.h for the rules.
#include "generators/memory/memory_plan.h"

#include <algorithm>
#include <optional>

#include "ops/base/assert.h"

namespace frit {
namespace {

std::int64_t round_up(std::int64_t bytes) {
  return (bytes + kArenaAlignment - 1) / kArenaAlignment * kArenaAlignment;
}

/// Bytes shared by the values of one alias class.
struct Buffer {
  Place::Kind kind = Place::Kind::kArena;
  int index = 0;
  int first_step = -1, last_step = -1;  ///< -1: no kernel touches it
  bool read_first = false;              ///< by a kernel, before any kernel writes it
  bool copied_in = false, copied_out = false;
  ValueId merged_into = kNone;  ///< owner of the buffer whose bytes it takes in place
  int range = -1;               ///< in MemoryPlan::ranges
};

class Planner {
 public:
  Planner(const Graph& graph, const Plan& plan, const CompiledModel& compiled)
      : graph_(graph), plan_(plan), compiled_(compiled) {}

  MemoryPlan run() {
    for (const CompiledModel::Constant& constant : compiled_.constants) {
      result_.constants.push_back(constant.data);
    }
    collect_steps();
    place_inputs();
    place_outputs();
    merge_in_place();
    make_ranges();
    make_temporaries();
    result_.arena = plan_arena(result_.ranges, kArenaAlignment);
    finish();
    return std::move(result_);
  }

 private:
  int last_step() const { return std::max(static_cast<int>(compiled_.kernels.size()) - 1, 0); }

  Buffer& buffer_of(ValueId value) {
    touched_.push_back(value);
    return buffers_[buffer_owner(plan_, value)];
  }

  void collect_steps() {
    for (std::size_t k = 0; k < compiled_.kernels.size(); ++k) {
      for (const KernelArgument& argument : compiled_.kernels[k].arguments) {
        if (argument.is_constant) continue;
        Buffer& buffer = buffer_of(argument.value);
        const int step = static_cast<int>(k);
        if (buffer.first_step < 0) {
          buffer.first_step = step;
          buffer.read_first = !argument.is_output;
        }
        buffer.last_step = step;
      }
    }
  }

  void place_inputs() {
    for (auto& [owner, buffer] : buffers_) {
      if (!graph_.value(owner).constant) continue;
      buffer.kind = Place::Kind::kConstant;
      buffer.index = add_constant(*graph_.value(owner).constant);
    }
    for (std::size_t i = 0; i < graph_.inputs.size(); ++i) {
      const ValueId input = graph_.inputs[i];
      const ValueId owner = buffer_owner(plan_, input);
      if (buffers_.count(owner) == 0 && !graph_.is_output(input)) continue;  // never read
      Buffer& buffer = buffer_of(input);
      if (owner == input && is_caller_layout(input)) {
        buffer.kind = Place::Kind::kInput;
        buffer.index = static_cast<int>(i);
        continue;
      }
      buffer.copied_in = true;
      buffer.first_step = 0;
      buffer.last_step = std::max(buffer.last_step, 0);
      result_.copies_in.push_back({input, static_cast<int>(i)});
    }
    for (const auto& [owner, buffer] : buffers_) {
      FRIT_ASSERT(!buffer.read_first || buffer.copied_in || buffer.kind != Place::Kind::kArena,
                  "value " + graph_.value(owner).name + " is read before a kernel writes it");
    }
  }

  void place_outputs() {
    for (std::size_t i = 0; i < graph_.outputs.size(); ++i) {
      const ValueId output = graph_.outputs[i];
      const ValueId owner = buffer_owner(plan_, output);
      const int index = static_cast<int>(i);
      const bool fresh = buffers_.count(owner) == 0;
      Buffer& buffer = buffer_of(output);
      if (fresh) {
        FRIT_ASSERT(graph_.value(owner).constant,
                    "graph output " + graph_.value(output).name + " is written by no kernel");
        buffer.kind = Place::Kind::kConstant;
        buffer.index = add_constant(*graph_.value(owner).constant);
      }
      const bool direct = buffer.kind == Place::Kind::kArena && !buffer.copied_in &&
                          !buffer.copied_out && is_caller_layout(output) &&
                          is_caller_layout(owner) && bytes_of(output) == bytes_of(owner);
      if (direct) {
        buffer.kind = Place::Kind::kOutput;
        buffer.index = index;
        continue;
      }
      buffer.copied_out = true;
      buffer.last_step = last_step();
      result_.copies_out.push_back({output, index});
    }
  }

  void merge_in_place() {
    for (std::size_t k = 0; k < compiled_.kernels.size(); ++k) {
      const Kernel& kernel = compiled_.kernels[k];
      const Group* group = group_of(kernel);
      if (group == nullptr || !kernel.one_touch) continue;
      for (const KernelArgument& output : kernel.arguments) {
        if (output.is_output) merge_output(kernel, *group, static_cast<int>(k), output.value);
      }
    }
  }

  void merge_output(const Kernel& kernel, const Group& group, int step, ValueId output) {
    Buffer& to = buffers_.at(buffer_owner(plan_, output));
    if (to.kind != Place::Kind::kArena || to.first_step != step) return;
    for (const KernelArgument& argument : kernel.arguments) {
      if (argument.is_output || argument.is_constant) continue;
      Buffer& from = buffers_.at(buffer_owner(plan_, argument.value));
      if (from.kind != Place::Kind::kArena || from.last_step != step || from.copied_out) continue;
      if (!can_write_in_place(graph_, plan_, group, kernel, argument.value, output)) continue;
      to.merged_into = argument.value;
      from.copied_out = true;  // its bytes are given away: no second taker
      result_.in_place.emplace_back(argument.value, output);
      return;
    }
  }

  void make_ranges() {
    // In order of first step, so that a buffer comes after the one whose bytes it takes.
    std::vector<ValueId> owners;
    for (const auto& [owner, buffer] : buffers_) {
      if (buffer.kind == Place::Kind::kArena) owners.push_back(owner);
    }
    std::stable_sort(owners.begin(), owners.end(), [&](ValueId a, ValueId b) {
      return buffers_.at(a).first_step < buffers_.at(b).first_step;
    });
    for (const ValueId owner : owners) {
      Buffer& buffer = buffers_.at(owner);
      if (buffer.merged_into != kNone) {
        buffer.range = buffers_.at(buffer.merged_into).range;
        LiveRange& range = result_.ranges[static_cast<std::size_t>(buffer.range)];
        range.name += " > " + graph_.value(owner).name;
        range.last_step = std::max(range.last_step, buffer.last_step);
        continue;
      }
      buffer.range = static_cast<int>(result_.ranges.size());
      result_.ranges.push_back(
          {graph_.value(owner).name, bytes_of(owner), buffer.first_step, buffer.last_step});
      if (storage_of(graph_, plan_, owner).has_halo()) {
        result_.fills.push_back({owner, buffer.copied_in ? -1 : buffer.first_step});
      }
    }
    std::stable_sort(result_.fills.begin(), result_.fills.end(),
                     [](const BorderFill& a, const BorderFill& b) { return a.step < b.step; });
  }

  void make_temporaries() {
    for (std::size_t k = 0; k < compiled_.kernels.size(); ++k) {
      const Kernel& kernel = compiled_.kernels[k];
      // The same arena serves every CPU level.
      std::int64_t bytes = 0;
      const auto make_room = [&](const Kernel& alternative) {
        const std::int64_t worker = round_up(alternative.worker_bytes);
        bytes = std::max(bytes, round_up(alternative.temporary_bytes) + worker);
        result_.worker_slab_bytes = std::max(result_.worker_slab_bytes, worker);
      };
      make_room(kernel);
      for (const CompiledModel::Level& lower : compiled_.lower_levels) make_room(lower.kernels[k]);
      result_.temporary_bytes.push_back(bytes);
      temporary_range_.push_back(bytes == 0 ? -1 : static_cast<int>(result_.ranges.size()));
      if (bytes == 0) continue;
      const Group* group = group_of(kernel);
      const std::string name = group ? group->name : kernel.symbol;
      result_.ranges.push_back(
          {name + ".temporaries", bytes, static_cast<int>(k), static_cast<int>(k)});
    }
  }

  void finish() {
    for (const Tensor& constant : result_.constants) {
      result_.constant_offsets.push_back(result_.constant_bytes);
      result_.constant_bytes += round_up(static_cast<std::int64_t>(constant.bytes().size()));
    }
    // Kernels are given the address of an empty constant too (a null one would ask them for
    // bounds).
    if (!result_.constants.empty() && result_.constant_bytes == 0) {
      result_.constant_bytes = kArenaAlignment;
    }
    for (const int range : temporary_range_) {
      result_.temporary_offsets.push_back(range < 0 ? 0 : offset_of(range));
    }
    for (const ValueId value : touched_) {
      const Buffer& buffer = buffers_.at(buffer_owner(plan_, value));
      Place place{buffer.kind, buffer.index, 0};
      if (buffer.kind == Place::Kind::kArena) place.offset = offset_of(buffer.range);
      if (buffer.kind == Place::Kind::kConstant) {
        place.offset = result_.constant_offsets[static_cast<std::size_t>(buffer.index)];
      }
      result_.places[value] = place;
      result_.places[buffer_owner(plan_, value)] = place;
    }
  }

  std::int64_t offset_of(int range) const {
    return result_.arena.offsets[static_cast<std::size_t>(range)];
  }

  std::int64_t bytes_of(ValueId value) const {
    const TensorType& type = graph_.value(value).type;
    return stored_elements(storage_of(graph_, plan_, value), type.dims()) * size_bytes(type.dtype);
  }

  bool is_caller_layout(ValueId value) const {
    return is_dense(storage_of(graph_, plan_, value), graph_.value(value).type.dims());
  }

  int add_constant(const Tensor& tensor) {
    const auto wanted = tensor.bytes();
    for (std::size_t i = 0; i < result_.constants.size(); ++i) {
      const auto have = result_.constants[i].bytes();
      if (std::equal(have.begin(), have.end(), wanted.begin(), wanted.end())) {
        return static_cast<int>(i);
      }
    }
    result_.constants.push_back(tensor);
    return static_cast<int>(result_.constants.size()) - 1;
  }

  const Group* group_of(const Kernel& kernel) const {
    for (const Group& group : plan_.groups) {
      if (group.id == kernel.group) return &group;
    }
    return nullptr;
  }

  const Graph& graph_;
  const Plan& plan_;
  const CompiledModel& compiled_;
  MemoryPlan result_;
  std::map<ValueId, Buffer> buffers_;  ///< by owner
  std::vector<ValueId> touched_;
  std::vector<int> temporary_range_;
};

}  // namespace

ValueId buffer_owner(const Plan& plan, ValueId value) {
  for (auto at = plan.alias_of.find(value); at != plan.alias_of.end();
       at = plan.alias_of.find(value)) {
    FRIT_ASSERT(at->second != value, "a value is an alias of itself");
    value = at->second;
  }
  return value;
}

Storage storage_of(const Graph& graph, const Plan& plan, ValueId value) {
  const auto found = plan.storage.find(value);
  if (found != plan.storage.end()) return found->second;
  FRIT_ASSERT(graph.value(value).constant,
              "the plan has no storage for value " + graph.value(value).name);
  return dense_storage(graph.value(value).type.rank());
}

bool is_dense(const Storage& storage, const std::vector<std::int64_t>& dims) {
  if (storage.has_halo() || storage.is_view()) return false;
  const std::vector<std::int64_t> strides = strides_of(storage, dims);
  const std::vector<std::int64_t> dense =
      strides_of(dense_storage(static_cast<int>(dims.size())), dims);
  for (std::size_t axis = 0; axis < dims.size(); ++axis) {
    if (dims[axis] > 1 && strides[axis] != dense[axis]) return false;
  }
  return true;
}

MemoryPlan plan_memory(const Graph& graph, const Plan& plan, const CompiledModel& compiled) {
  return Planner(graph, plan, compiled).run();
}

}  // namespace frit
