#include "generators/emit/emit.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "generators/compose/pack.h"
#include "generators/emit/bind.h"
#include "generators/emit/cache.h"
#include "generators/emit/group_text.h"
#include "generators/emit/hash.h"
#include "generators/emit/kernel_json.h"
#include "ops/register.h"
#include "schedules/check.h"
#include "source_hash.h"

namespace frit {
namespace {

constexpr const char* kObject = ".o";
constexpr const char* kRecord = ".json";

// What made a kernel: frit's own sources and, where operators of somebody else's are registered, the
// whole program, whose sources are not known.
const std::string& maker() {
  static const std::string hash = [] {
    return has_registered_operators() ? sha256_of_file("/proc/self/exe") : std::string(kSourceHash);
  }();
  return hash;
}

// One distinct kernel and the groups that share it.
struct Job {
  std::string key;
  const Group* group = nullptr;
  Halide::Target target;
  BoundSchedule schedule;
};

// One CPU level, or the one target: the job of each kernel group.
struct LevelJobs {
  CpuLevel level;
  std::vector<std::size_t> job_of_group;
};

// The schedule in force as text: the file's normal form and the values of its holes.
std::string schedule_text(const BoundSchedule& schedule) {
  if (!schedule.schedule.ast) return "default\n";
  std::string text = print_schedule(schedule.schedule);
  for (const auto& [name, value] : schedule.bound) text += fmt::format("# {} = {}\n", name, value);
  return text;
}

// Lower CPU levels have packs that are not their own schedule's.
std::string packs_text(const std::vector<PackSpec>& packs) {
  std::string text;
  for (const PackSpec& pack : packs) {
    text += "pack " + pack.role;
    for (const PackSpec::Dim& dim : pack.dims) {
      text += fmt::format(" {}/{}%{}", dim.axis, dim.divisor, dim.modulus);
    }
    text += "\n";
  }
  return text;
}

std::string key_of(const Graph& graph, const Plan& plan, const Group& group,
                   const BoundSchedule& schedule, const Halide::Target& target) {
  return sha256(fmt::format("{}\n{}\n{}\n{}{}\nHalide {}.{}.{}\nfrit {}\n",
                            group_text(graph, plan, group), schedule.name, schedule_text(schedule),
                            packs_text(schedule.packs), target.to_string(), HALIDE_VERSION_MAJOR,
                            HALIDE_VERSION_MINOR, HALIDE_VERSION_PATCH, maker()));
}

// A file of the user's: what `frit check` finds when it lowers must not be built, for a release
// kernel reads and writes foreign memory without a word.
Status check_user_schedule(const Graph& graph, const Plan& plan, const Job& job) {
  const Schedule& schedule = job.schedule.schedule;
  if (!schedule.ast || job.schedule.shipped) return {};
  const auto composed = scheduled_pipeline(graph, plan, *job.group, job.schedule, job.target);
  if (!composed) return fail(composed.error());
  SourcePlace place;
  place.file = schedule.file;
  for (Diagnostic& fault : faults_when_lowered((*composed)->view, job.target, place)) {
    if (fault.severity != Severity::kError) continue;
    fault.notes.push_back("in group " + job.group->name);
    return fail(std::move(fault));
  }
  return {};
}

// In a child: the object goes to the cache, the record comes back as text.
Result<std::string> compile_job(const Graph& graph, const Plan& plan, const Job& job,
                                const Cache& cache) {
  Kernel kernel;
  kernel.symbol = fmt::format("frit_{}_{}", job.group->anchor, job.key.substr(0, 16));
  kernel.schedule_name = job.schedule.name;
  kernel.schedule_text = schedule_text(job.schedule);
  FRIT_TRY(check_user_schedule(graph, plan, job));
  const Result<std::string> scratch = cache.scratch(job.key, kObject);
  if (!scratch) return fail(scratch.error());
  Result<LoweredKernel> lowered =
      lower_to_code(graph, plan, *job.group, job.schedule, job.target, kernel.symbol,
                    [&](Halide::Module& module) {
                      module.compile({{Halide::OutputFileType::object, *scratch}});
                    });
  if (!lowered) return fail(lowered.error());
  kernel.arguments = kernel_arguments(graph, *lowered->composed);
  kernel.temporary_bytes = lowered->temporary_bytes;
  kernel.worker_bytes = lowered->worker_bytes;
  kernel.one_touch = lowered->one_touch;
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
    // Again, from the cache mostly, as long as a shipped schedule turns out not to compile.
    do {
      groups_again_ = false;
      collect();
      if (problems_.empty()) compile();
    } while (problems_.empty() && groups_again_);
    if (!problems_.empty()) return tl::unexpected<Diagnostics>(std::move(problems_));
    model_.target = options_.target;
    model_.level = levels_.front().level;
    for (std::size_t i = 0; i < groups_.size(); ++i) add_kernel(i);
    for (std::size_t l = levels_.size(); l-- > 1;) add_lower_level(levels_[l]);
    model_.warnings.insert(model_.warnings.end(), passed_over_.begin(), passed_over_.end());
    return std::move(model_);
  }

 private:
  // The highest level first: it decides the packs.
  void collect() {
    passed_over_.clear();
    groups_.clear();
    schedules_.clear();
    levels_.clear();
    job_of_key_.clear();
    jobs_.clear();
    records_.clear();
    levels_.push_back(
        {options_.levels.empty() ? CpuLevel{0, "", options_.target} : options_.levels.back(), {}});
    for (std::size_t l = options_.levels.size(); l-- > 1;) {
      levels_.push_back({options_.levels[l - 1], {}});
    }
    for (const Group& group : plan_.groups) {
      if (group.kind == GroupKind::kKernel) collect_group(group);
    }
  }

  void collect_group(const Group& group) {
    const GivenUp& given_up = given_up_[group.id];
    Result<BoundSchedule> highest = bind_schedule(graph_, plan_, group, options_, given_up);
    if (!highest) return problems_.push_back(highest.error());
    note(*highest);
    groups_.push_back(&group);
    schedules_.push_back(*highest);
    add_job(levels_[0], group, std::move(*highest));
    for (std::size_t l = 1; l < levels_.size(); ++l) {
      Result<BoundSchedule> lower = bind_lower_schedule(
          graph_, plan_, group, options_, levels_[l].level, schedules_.back(), given_up);
      if (!lower) return problems_.push_back(lower.error());
      note(*lower);
      add_job(levels_[l], group, std::move(*lower));
    }
  }

  void note(const BoundSchedule& schedule) {
    passed_over_.insert(passed_over_.end(), schedule.passed_over.begin(),
                        schedule.passed_over.end());
  }

  void add_job(LevelJobs& level, const Group& group, BoundSchedule schedule) {
    const Halide::Target& target = level.level.target;
    const std::string key = key_of(graph_, plan_, group, schedule, target);
    const auto [place, fresh] = job_of_key_.emplace(key, jobs_.size());
    if (fresh) jobs_.push_back({key, &group, target, std::move(schedule)});
    level.job_of_group.push_back(place->second);
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
      forks.push_back({"group " + jobs_[i].group->name,
                       [this, i] { return compile_job(graph_, plan_, jobs_[i], cache_); }});
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
    if (outcome) {
      records_[job] = from_record(*outcome);
      if (records_[job]) return;
      problems_.push_back(
          error("emit-record", fmt::format("group {}: the compiler process ended well but gave no "
                                           "record of its kernel; build again",
                                           jobs_[job].group->name)));
    } else if (jobs_[job].schedule.shipped && outcome.error().code != "interrupted") {
      give_up_schedule(job, outcome.error());
    } else {
      problems_.push_back(outcome.error());
    }
  }

  // All groups of this job are to be built anew, without its schedule.
  void give_up_schedule(std::size_t job, const Diagnostic& fault) {
    const std::string& schedule = jobs_[job].schedule.name;
    model_.warnings.push_back(fallback_warning(*jobs_[job].group, schedule, fault));
    for (const LevelJobs& level : levels_) {
      for (std::size_t i = 0; i < groups_.size(); ++i) {
        if (level.job_of_group[i] == job) given_up_[groups_[i]->id].insert(schedule);
      }
    }
    groups_again_ = true;
  }

  void add_kernel(std::size_t i) {
    const Group& group = *groups_[i];
    Kernel kernel = kernel_of(levels_[0], i);
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

  Kernel kernel_of(const LevelJobs& level, std::size_t i) const {
    const std::size_t job = level.job_of_group[i];
    Kernel kernel = *records_[job];
    kernel.group = groups_[i]->id;
    kernel.object_path = cache_.path(jobs_[job].key, kObject);
    return kernel;
  }

  // Its kernels take the arguments of the highest level's, constants included.
  void add_lower_level(const LevelJobs& level) {
    CompiledModel::Level& lower = model_.lower_levels.emplace_back();
    lower.level = level.level;
    for (std::size_t i = 0; i < groups_.size(); ++i) {
      Kernel kernel = kernel_of(level, i);
      Kernel& highest = model_.kernels[i];
      FRIT_ASSERT(lie_alike(kernel.arguments, highest.arguments),
                  "group " + groups_[i]->name + " has other buffers at level " + level.level.name);
      kernel.arguments = highest.arguments;
      highest.one_touch = highest.one_touch && kernel.one_touch;
      lower.kernels.push_back(std::move(kernel));
    }
  }

  static bool lie_alike(const std::vector<KernelArgument>& a,
                        const std::vector<KernelArgument>& b) {
    return std::ranges::equal(a, b, [](const KernelArgument& x, const KernelArgument& y) {
      return x.is_output == y.is_output && x.is_constant == y.is_constant && x.dtype == y.dtype &&
             x.offset_bytes == y.offset_bytes && x.bytes == y.bytes &&
             std::ranges::equal(x.dims, y.dims, [](const auto& p, const auto& q) {
               return p.min == q.min && p.extent == q.extent && p.stride == q.stride;
             });
    });
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
  std::vector<LevelJobs> levels_;
  std::map<std::string, std::size_t> job_of_key_;
  std::vector<Job> jobs_;
  std::vector<std::optional<Kernel>> records_;
  std::map<std::string, int> constant_index_;
  std::map<int, GivenUp> given_up_;  // by group id
  bool groups_again_ = false;
  Diagnostics passed_over_;
  CompiledModel model_;
};

}  // namespace

CompiledModel at_lower_level(const CompiledModel& model, std::size_t lower) {
  CompiledModel alone = model;
  alone.level = model.lower_levels.at(lower).level;
  alone.target = alone.level.target;
  alone.kernels = model.lower_levels.at(lower).kernels;
  alone.lower_levels.clear();
  return alone;
}

tl::expected<CompiledModel, Diagnostics> emit_model(const Graph& graph, const Plan& plan,
                                                    const EmitOptions& options) {
  return Emitter(graph, plan, options).run();
}

}  // namespace frit
