#include "generators/emit/emit.h"

#include <fmt/format.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "generators/compose/pack.h"
#include "generators/emit/cache.h"
#include "generators/emit/group_text.h"
#include "generators/emit/hash.h"
#include "generators/emit/kernel_json.h"
#include "generators/emit/target.h"
#include "source_hash.h"

namespace frit {
namespace {

constexpr const char* kObject = ".o";
constexpr const char* kRecord = ".json";

// One distinct kernel and the groups that share it.
struct Job {
  std::string key;
  const Group* group = nullptr;
  BoundSchedule schedule;
  std::vector<std::size_t> users;  // indices of kernel groups
};

// The schedule in force as text: the file's normal form and the values of its holes.
std::string schedule_text(const BoundSchedule& schedule) {
  if (!schedule.schedule.ast) return "default\n";
  std::string text = print_schedule(schedule.schedule);
  for (const auto& [name, value] : schedule.bound) text += fmt::format("# {} = {}\n", name, value);
  return text;
}

std::string key_of(const Graph& graph, const Plan& plan, const Group& group,
                   const BoundSchedule& schedule, const Halide::Target& target) {
  return sha256(fmt::format("{}\n{}\n{}\n{}\nHalide {}.{}.{}\nfrit {}\n",
                            group_text(graph, plan, group), schedule.name, schedule_text(schedule),
                            target.to_string(), HALIDE_VERSION_MAJOR, HALIDE_VERSION_MINOR,
                            HALIDE_VERSION_PATCH, kSourceHash));
}

// In a child: the object goes to the cache, the record comes back as text.
Result<std::string> compile_job(const Graph& graph, const Plan& plan, const Job& job,
                                const Halide::Target& target, const Cache& cache) {
  Kernel kernel;
  kernel.symbol = fmt::format("frit_{}_{}", job.group->anchor, job.key.substr(0, 16));
  kernel.schedule_name = job.schedule.name;
  kernel.schedule_text = schedule_text(job.schedule);
  Result<LoweredKernel> lowered =
      lower_group(graph, plan, *job.group, job.schedule, target, kernel.symbol);
  if (!lowered) return fail(lowered.error());
  kernel.arguments = kernel_arguments(graph, *lowered->composed);
  kernel.temporary_bytes = lowered->temporary_bytes;
  kernel.worker_bytes = lowered->worker_bytes;
  kernel.one_touch = lowered->one_touch;
  const Result<std::string> scratch = cache.scratch(job.key, kObject);
  if (!scratch) return fail(scratch.error());
  lowered->module.compile({{Halide::OutputFileType::object, *scratch}});
  kernel.object_sha256 = sha256_of_file(*scratch);
  FRIT_TRY(cache.commit(*scratch, job.key, kObject));
  const std::string record = kernel_to_json(kernel).dump(1);
  FRIT_TRY(cache.write(job.key, kRecord, record));
  return record;
}

class Emitter {
 public:
  Emitter(const Graph& graph, const Plan& plan, const EmitOptions& options)
      : graph_(graph), plan_(plan), options_(options), cache_(options.cache_folder) {}

  tl::expected<CompiledModel, Diagnostics> run() {
    collect();
    if (problems_.empty()) compile();
    if (!problems_.empty()) return tl::unexpected<Diagnostics>(std::move(problems_));
    model_.target = options_.target;
    for (std::size_t i = 0; i < groups_.size(); ++i) add_kernel(i);
    return std::move(model_);
  }

 private:
  void collect() {
    for (const Group& group : plan_.groups) {
      if (group.kind != GroupKind::kKernel) continue;
      Result<BoundSchedule> schedule = bind_schedule(graph_, plan_, group, options_);
      if (!schedule) {
        problems_.push_back(schedule.error());
        continue;
      }
      const std::string key = key_of(graph_, plan_, group, *schedule, options_.target);
      const auto [place, fresh] = job_of_key_.emplace(key, jobs_.size());
      if (fresh) jobs_.push_back({key, &group, *schedule, {}});
      jobs_[place->second].users.push_back(groups_.size());
      groups_.push_back(&group);
      schedules_.push_back(std::move(*schedule));
      job_of_group_.push_back(place->second);
    }
  }

  std::optional<Kernel> from_record(const std::string& text) const {
    try {
      return kernel_from_json(nlohmann::json::parse(text));
    } catch (const std::exception&) {
      return std::nullopt;  // a damaged entry is compiled again
    }
  }

  void compile() {
    records_.resize(jobs_.size());
    std::vector<std::size_t> missing;
    for (std::size_t i = 0; i < jobs_.size(); ++i) {
      const std::optional<std::string> record = cache_.read(jobs_[i].key, kRecord);
      if (record) records_[i] = from_record(*record);
      // An entry that a power cut or a full disk has spoilt is compiled again.
      const std::string object = cache_.path(jobs_[i].key, kObject);
      if (records_[i] && sha256_of_file(object) != records_[i]->object_sha256) records_[i].reset();
      if (!records_[i]) missing.push_back(i);
    }
    progress_.total = jobs_.size();
    progress_.cached = progress_.done = jobs_.size() - missing.size();
    std::vector<ForkJob> forks;
    for (const std::size_t i : missing) {
      forks.push_back({"group " + jobs_[i].group->name, [this, i] {
                         return compile_job(graph_, plan_, jobs_[i], options_.target, cache_);
                       }});
    }
    const auto start = std::chrono::steady_clock::now();
    const auto done = [&](std::size_t fork, const Result<std::string>& outcome) {
      finish_job(missing[fork], outcome);
      ++progress_.done;
      const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
      const std::size_t built = progress_.done - progress_.cached;
      progress_.eta_seconds =
          spent.count() / static_cast<double>(built) * static_cast<double>(missing.size() - built);
      progress_.group = jobs_[missing[fork]].group->name;
      if (options_.progress) options_.progress(progress_);
    };
    run_forked(forks, options_.jobs, options_.limits, done, options_.stop);
    if (options_.stop && options_.stop()) {
      problems_ = {error("interrupted", "stopped; finished kernels stay in the cache")};
    }
  }

  void finish_job(std::size_t job, const Result<std::string>& outcome) {
    if (!outcome) {
      problems_.push_back(outcome.error());
    } else if (!(records_[job] = from_record(*outcome))) {
      problems_.push_back(error("emit-record", "group " + jobs_[job].group->name +
                                                   ": the compiler process gave no record"));
    }
  }

  void add_kernel(std::size_t i) {
    const Group& group = *groups_[i];
    const Job& job = jobs_[job_of_group_[i]];
    Kernel kernel = *records_[job_of_group_[i]];
    kernel.group = group.id;
    kernel.object_path = cache_.path(job.key, kObject);
    std::vector<ValueId> values;
    for (const ValueId id : group.inputs) {
      if (!is_literal(graph_.value(id))) values.push_back(id);
    }
    values.insert(values.end(), group.outputs.begin(), group.outputs.end());
    FRIT_ASSERT(values.size() == kernel.arguments.size(),
                "kernel record of " + group.name + " has another number of arguments");
    for (std::size_t a = 0; a < values.size(); ++a) {
      KernelArgument& argument = kernel.arguments[a];
      argument.value = values[a];
      if (argument.is_constant) argument.constant_index = constant_of(group, values[a], i);
    }
    model_.kernels.push_back(std::move(kernel));
  }

  // The packed constant, each distinct byte string once.
  int constant_of(const Group& group, ValueId id, std::size_t i) {
    const Value& value = graph_.value(id);
    Tensor data = *value.constant;
    if (const auto [axes, pack] = pack_for(group, id, schedules_[i]); pack) {
      data = pack_constant(data, axes, *pack);
    }
    const std::string key = sha256(data.bytes());
    const auto [place, fresh] =
        constant_index_.emplace(key, static_cast<int>(model_.constants.size()));
    if (fresh) model_.constants.push_back({value.name, std::move(data)});
    return place->second;
  }

  std::pair<std::vector<std::string>, const PackSpec*> pack_for(const Group& group, ValueId id,
                                                                const BoundSchedule& schedule) {
    const auto [role, axes] = constant_role_of(graph_, group, id);
    for (const PackSpec& pack : schedule.packs) {
      if (pack.role == role) return {axes, &pack};
    }
    return {axes, nullptr};
  }

  const Graph& graph_;
  const Plan& plan_;
  const EmitOptions& options_;
  Cache cache_;
  EmitProgress progress_;
  Diagnostics problems_;
  std::vector<const Group*> groups_;
  std::vector<BoundSchedule> schedules_;
  std::vector<std::size_t> job_of_group_;
  std::map<std::string, std::size_t> job_of_key_;
  std::vector<Job> jobs_;
  std::vector<std::optional<Kernel>> records_;
  std::map<std::string, int> constant_index_;
  CompiledModel model_;
};

}  // namespace

Result<BoundSchedule> bind_schedule(const Graph& graph, const Plan& plan, const Group& group,
                                    const EmitOptions& options) {
  Facts facts = group_facts(graph, plan, group);
  facts.merge(target_facts(options.target, options.threads));
  const Schedule* chosen = choose_schedule(options.user_schedules, group.anchor, facts);
  if (!chosen) chosen = choose_schedule(shipped_schedules(), group.anchor, facts);
  BoundSchedule bound;
  bound.name = "default";
  bound.bound = facts;
  if (!chosen) return bound;
  bound.schedule = *chosen;
  bound.name = chosen->file;
  const auto params = options.chosen_params.find(group.name);
  Result<Facts> values =
      bind_params(*chosen, facts, params == options.chosen_params.end() ? Facts() : params->second);
  if (!values) return fail(values.error());
  bound.bound = std::move(*values);
  Result<std::vector<PackSpec>> packs = packs_of(*chosen, bound.bound);
  if (!packs) return fail(packs.error());
  bound.packs = std::move(*packs);
  return bound;
}

tl::expected<CompiledModel, Diagnostics> emit_model(const Graph& graph, const Plan& plan,
                                                    const EmitOptions& options) {
  return Emitter(graph, plan, options).run();
}

}  // namespace frit
