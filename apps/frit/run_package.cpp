#include "apps/frit/run_package.h"

#include <filesystem>

#include "apps/frit/scratch_folder.h"

namespace frit {

Result<LoadedPackage> load_built(const Options& options, const BuildOptions& build,
                                 const BuiltModel& built, int cpu_level) {
  auto folder = ScratchFolder::make();
  if (!folder) return fail(folder.error());
  PackageOptions package;
  package.name = std::filesystem::path(options.model.model).stem().string();
  package.out_dir = folder->path();
  package.target = build.emit.target;
  package.threads = options.model.threads;
  package.debug = options.command.debug;
  const Graph& graph = built.planned.graph;
  auto object = write_shared_object(graph, built.planned.plan, built.compiled, package);
  if (!object) return fail(object.error());
  return LoadedPackage::load(*object, graph, options.model.threads, cpu_level);
}

tl::expected<BuiltModel, Diagnostics> build_to_execute(const BuildOptions& build, MemoryUse use) {
  auto planned = plan_model(build);
  if (!planned) return tl::unexpected<Diagnostics>(std::move(planned).error());
  const Graph& graph = use == MemoryUse::kVerify ? planned->imported : planned->graph;
  if (const Status fits = check_memory(graph, use, memory_limit()); !fits) {
    return tl::unexpected<Diagnostics>(Diagnostics{fits.error()});
  }
  return compile_model(std::move(*planned), build);
}

}  // namespace frit
