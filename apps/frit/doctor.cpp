// frit doctor: what this machine can do, and what is missing for what.
#include <dlfcn.h>
#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "apps/frit/commands.h"
#include "apps/frit/host.h"
#include "apps/frit/peak.h"
#include "generators/emit/cache.h"

namespace frit {

namespace {

struct Check {
  std::string name;
  bool found = false;
  std::string detail;  ///< where or what was found, or what is missing and how to get it
};

Check tool(const std::string& name, const std::string& use, const std::string& package) {
  const std::string path = find_tool(name);
  if (!path.empty()) return {name, true, fmt::format("{} ({})", path, use)};
  return {name, false, fmt::format("not on PATH; needed for {}; install {}", use, package)};
}

/// Loads a driver's library and asks it for devices; never through Halide, whose runtime aborts
/// where there is none.
Check cuda_device() {
  void* library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return {"cuda device", false, "no CUDA driver; CUDA runs are skipped"};
  using Init = int (*)(unsigned);
  using Count = int (*)(int*);
  const auto init = reinterpret_cast<Init>(dlsym(library, "cuInit"));
  const auto count_devices = reinterpret_cast<Count>(dlsym(library, "cuDeviceGetCount"));
  int count = 0;
  const bool usable = init != nullptr && count_devices != nullptr && init(0) == 0 &&
                      count_devices(&count) == 0 && count > 0;
  return {
      "cuda device", usable,
      usable ? fmt::format("{} device(s)", count) : "driver without a device; runs are skipped"};
}

Check opencl_platform() {
  void* library = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    return {"opencl platform", false, "no libOpenCL; install ocl-icd-opencl-dev pocl-opencl-icd"};
  }
  using Platforms = int (*)(unsigned, void*, unsigned*);
  const auto platforms = reinterpret_cast<Platforms>(dlsym(library, "clGetPlatformIDs"));
  unsigned count = 0;
  const bool usable = platforms != nullptr && platforms(0, nullptr, &count) == 0 && count > 0;
  return {"opencl platform", usable,
          usable ? fmt::format("{} platform(s)", count) : "none; install pocl-opencl-icd"};
}

std::vector<Check> all_checks() {
  return {
      tool("cc", "the plan inside a package", "gcc"),
      tool("ld", "linking a package's objects", "binutils"),
      tool("ar", "a package's archive", "binutils"),
      tool("objcopy", "hiding a package's inner symbols", "binutils"),
      tool("ccache", "faster rebuilds of frit itself", "ccache"),
      tool("aarch64-linux-gnu-g++", "target arm", "g++-aarch64-linux-gnu"),
      tool("qemu-aarch64", "running target arm here", "qemu-user"),
      tool("ptxas", "checking target cuda", "the CUDA toolkit, or run cmake/bootstrap.sh"),
      cuda_device(),
      opencl_platform(),
  };
}

std::string caches_text(const HostFacts& host) {
  std::string text;
  for (std::size_t i = 0; i < host.cache_bytes.size(); ++i) {
    text += fmt::format("{}L{} {} KiB", i == 0 ? "" : ", ", i + 1, host.cache_bytes[i] >> 10);
  }
  return text.empty() ? "unknown" : text;
}

std::vector<std::string> warnings_of(const HostFacts& host) {
  std::vector<std::string> warnings;
  if (!host.governor.empty() && host.governor != "performance") {
    warnings.push_back(
        fmt::format("frequency governor is '{}': timings will wander; set "
                    "'performance' before measuring",
                    host.governor));
  }
  return warnings;
}

}  // namespace

ExitCode command_doctor(const Options& options, Console& console) {
  const HostFacts host = host_facts();
  const std::vector<Check> checks = all_checks();
  const std::vector<std::string> warnings = warnings_of(host);
  const std::string cache = Cache("").folder();
  std::vector<Peak> peaks;
  if (options.command.peak) {
    peaks = measure_peaks({host.cache_bytes.begin(), host.cache_bytes.end()});
  }

  if (console.json()) {
    nlohmann::json list = nlohmann::json::array();
    for (const Check& check : checks) {
      list.push_back({{"name", check.name}, {"found", check.found}, {"detail", check.detail}});
    }
    nlohmann::json document = {
        {"schema", "frit.doctor/1"}, {"tool", {{"name", "frit"}, {"version", FRIT_VERSION}}},
        {"host", to_json(host)},     {"cache_folder", cache},
        {"checks", std::move(list)}, {"warnings", warnings}};
    for (const Peak& peak : peaks) document["peak"][peak.name] = peak.value;
    console.document(document);
    return ExitCode::kSuccess;
  }
  std::string text = fmt::format(
      "frit     {}   Halide {}   LLVM {}\ncpu      {}\ncores    {}\ncaches   {}\n"
      "memory   {:.1f} GiB\ntarget   {}\ncache    {}\n",
      FRIT_VERSION, host.halide, host.llvm, host.cpu, host.cores, caches_text(host),
      static_cast<double>(host.memory_bytes) / (1 << 30), host.target, cache);
  for (const Peak& peak : peaks)
    text += fmt::format("peak     {:<20} {:8.1f}\n", peak.name, peak.value);
  for (const Check& check : checks) {
    text += fmt::format("{:<8} {:<22} {}\n", check.found ? "found" : "missing", check.name,
                        check.detail);
  }
  for (const std::string& warning : warnings) text += "warning: " + warning + "\n";
  console.answer(text);
  return ExitCode::kSuccess;
}

}  // namespace frit
