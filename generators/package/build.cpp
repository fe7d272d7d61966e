#include "generators/package/build.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <set>
#include <utility>

#include "generators/emit/tool.h"
#include "ops/base/output_file.h"

namespace frit {

/// Made at build from runtime/ (runtime/CMakeLists.txt): file name -> text.
const std::vector<std::pair<std::string, std::string>>& runtime_sources();

namespace {

namespace fs = std::filesystem;

// The runtime has a folder of its own and results too: a model may be called "error" or "plan".
constexpr const char* kRuntime = "runtime";
constexpr const char* kResults = "out";
constexpr const char* kWholeRuntime = "runtime.c";
constexpr const char* kPlan = "plan.c";
constexpr const char* kWeights = "weights.bin";
constexpr const char* kWeightsAssembly = "weights.s";

Architecture architecture_of(const Halide::Target& target) {
  if (target.arch == Halide::Target::ARM && target.bits == 64) return Architecture::kAArch64;
  if (target.arch == Halide::Target::X86 && target.bits == 64) return Architecture::kX86_64;
  return Architecture::kHost;
}

Toolchain tools_of(const PackageModel& model) {
  return toolchain_for(architecture_of(model.options.target));
}

bool ends_with(const std::string& text, const std::string& tail) {
  return text.size() >= tail.size() && text.ends_with(tail);
}

std::vector<std::string> joined(std::vector<std::string> first,
                                const std::vector<std::string>& then) {
  first.insert(first.end(), then.begin(), then.end());
  return first;
}

/// The constants' blob as an object of its own: an assembler includes the bytes as they are.
std::string weights_assembly() {
  return fmt::format(
      "  .section .rodata.frit_weights,\"a\",%progbits\n  .globl frit_weights\n"
      "  .balign {}\nfrit_weights:\n  .incbin \"{}\"\n"
      "  .section .note.GNU-stack,\"\",%progbits\n",
      kArenaAlignment, kWeights);
}

Status write_sources(const PackageModel& model, const std::string& folder,
                     std::vector<std::string>& to_compile) {
  const bool threaded = model.options.threads > 1;
  const auto unused = [&](const std::string& name) {
    if (threaded) return name == "parallel_none.c";
    return name == "parallel_pthread.c" || name.starts_with("placement");
  };
  std::error_code problem;
  for (const char* inner : {kRuntime, kResults}) {
    fs::create_directory(folder + "/" + inner, problem);
    if (problem)
      return fail("package-write",
                  "cannot make a folder: " + problem.message() + "; free some space or set TMPDIR");
  }
  // One unit for the compiler: nine would take twice as long. What asks for more than C99 of the
  // system's headers comes first: placement, then the pool.
  std::string whole, pool, placement;
  for (const auto& [name, text] : runtime_sources()) {
    if (unused(name)) continue;
    FRIT_TRY(write_file(folder + "/" + kRuntime + "/" + name, text));
    const std::string include = fmt::format("#include \"{}/{}\"\n", kRuntime, name);
    if (!ends_with(name, ".c")) continue;
    const bool is_pool = name.starts_with("parallel");
    (is_pool ? pool : name.starts_with("placement") ? placement : whole) += include;
  }
  FRIT_TRY(write_file(folder + "/" + kWholeRuntime, placement + pool + whole));
  to_compile.push_back(kWholeRuntime);
  FRIT_TRY(write_file(folder + "/" + model.c_name + ".h", header_text(model)));
  FRIT_TRY(write_file(folder + "/" + kPlan, plan_c_text(model)));
  to_compile.push_back(kPlan);
  if (model.memory.constant_bytes == 0 || model.weights) return {};
  const std::vector<std::byte> blob = constants_blob(model.memory);
  FRIT_TRY(write_file(folder + "/" + kWeights,
                      {reinterpret_cast<const char*>(blob.data()), blob.size()}));
  FRIT_TRY(write_file(folder + "/" + kWeightsAssembly, weights_assembly()));
  to_compile.push_back(kWeightsAssembly);
  return {};
}

std::string result_of(const PackageModel& model, const std::string& suffix) {
  return fmt::format("{}/{}{}", kResults, model.c_name, suffix);
}

}  // namespace

std::string archive_in(const PackageModel& model) {
  return fmt::format("{}/lib{}.a", kResults, model.c_name);
}

std::string shared_in(const PackageModel& model) {
  return fmt::format("{}/lib{}.so", kResults, model.c_name);
}

Result<BuildFolder> BuildFolder::make(const std::string& parent) {
  std::error_code problem;
  fs::create_directories(parent, problem);
  std::string path = parent + "/.frit-build-XXXXXX";
  if (problem || mkdtemp(path.data()) == nullptr) {
    return fail("package-write",
                fmt::format("cannot make a folder in '{}': {}; give a folder that can be written",
                            parent, problem ? problem.message() : std::strerror(errno)));
  }
  return BuildFolder(path);
}

BuildFolder::BuildFolder(BuildFolder&& other) noexcept : path_(std::exchange(other.path_, "")) {}

BuildFolder::~BuildFolder() {
  std::error_code ignored;
  if (!path_.empty()) fs::remove_all(path_, ignored);
}

Status write_file(const std::string& path, std::string_view text) {
  const std::string fault = write_whole(path, text);
  if (!fault.empty()) return fail("package-write", fault);
  return {};
}

Status build_object(const PackageModel& model, const BuildFolder& folder) {
  const Toolchain tools = tools_of(model);
  std::vector<std::string> sources;
  FRIT_TRY(write_sources(model, folder.path(), sources));
  // Relative names, no debug records: nothing of the folder gets into the objects.
  std::vector<std::string> compile = joined(
      tools.cc, {"-c", "-std=c99", "-O2", "-fPIC", "-g0", "-ffunction-sections", "-fdata-sections",
                 "-fno-asynchronous-unwind-tables", "-fno-strict-aliasing"});
  if (architecture_of(model.options.target) == Architecture::kAArch64) {
    compile.push_back("-mno-outline-atomics");  // else calls into libgcc
  }
  FRIT_TRY(run_tool({joined(compile, sources), folder.path()}));

  // One object of all; sections that no exported function reaches are dropped (kernels carry
  // argv wrappers and metadata that a package does not use).
  std::vector<std::string> link = joined(tools.cc, {"-r", "-nostdlib", "-o", "linked.o"});
  std::vector<std::string> hide = {tools.objcopy, "--strip-unneeded", "--remove-section=.comment"};
  std::string roots = "-Wl,--gc-sections";
  for (const std::string& function : exported_functions(model)) {
    roots += ",-u," + model.c_name + "_" + function;
    hide.push_back("--keep-global-symbol=" + model.c_name + "_" + function);
  }
  link.push_back(roots);
  for (const std::string& source : sources) {
    link.push_back(source.substr(0, source.rfind('.')) + ".o");
  }
  std::set<std::string> linked;
  const auto add_objects = [&](const std::vector<Kernel>& kernels) {
    for (const Kernel& kernel : kernels) {
      if (linked.insert(kernel.object_path).second)
        link.push_back(fs::absolute(kernel.object_path));
    }
  };
  add_objects(model.compiled.kernels);
  for (const CompiledModel::Level& lower : model.compiled.lower_levels) add_objects(lower.kernels);
  FRIT_TRY(run_tool({link, folder.path()}));
  hide.insert(hide.end(), {"linked.o", result_of(model, ".o")});
  return run_tool({hide, folder.path()});
}

Status build_archive(const PackageModel& model, const BuildFolder& folder) {
  return run_tool(
      {{tools_of(model).ar, "rcsD", archive_in(model), result_of(model, ".o")}, folder.path()});
}

Status build_shared(const PackageModel& model, const BuildFolder& folder) {
  std::vector<std::string> link = joined(
      tools_of(model).cc, {"-shared", "-o", shared_in(model), result_of(model, ".o"),
                           "-Wl,--build-id=none", "-Wl,-soname,lib" + model.c_name + ".so", "-lm"});
  if (model.options.threads > 1) link.push_back("-pthread");
  return run_tool({link, folder.path()});
}

}  // namespace frit
