#include "apps/frit/host.h"

#include <Halide.h>
#include <fmt/format.h>
#include <sched.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

namespace frit {

namespace {

std::string first_line(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

std::string cpu_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const bool named = line.starts_with("model name") || line.starts_with("Model");
    const std::size_t colon = line.find(": ");
    if (named && colon != std::string::npos) return line.substr(colon + 2);
  }
  return "unknown";
}

/// "48K" -> 49152
std::int64_t size_of_text(const std::string& text) {
  std::istringstream in(text);
  std::int64_t value = 0;
  char unit = ' ';
  in >> value >> unit;
  return unit == 'K' ? value << 10 : unit == 'M' ? value << 20 : value;
}

std::vector<std::int64_t> data_caches() {
  std::vector<std::int64_t> bytes;
  for (int index = 0; index < 8; ++index) {
    const std::string folder = fmt::format("/sys/devices/system/cpu/cpu0/cache/index{}/", index);
    const std::string type = first_line(folder + "type");
    if (type.empty()) break;
    if (type != "Instruction") bytes.push_back(size_of_text(first_line(folder + "size")));
  }
  return bytes;
}

}  // namespace

HostFacts host_facts() {
  HostFacts host;
  host.cpu = cpu_name();
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  if (sched_getaffinity(0, sizeof allowed, &allowed) == 0) {
    for (int core = 0; core < CPU_SETSIZE; ++core) {
      if (CPU_ISSET(static_cast<std::size_t>(core), &allowed)) host.affinity.push_back(core);
    }
  }
  host.cores = static_cast<int>(host.affinity.size());
  host.cache_bytes = data_caches();
  host.memory_bytes = static_cast<std::int64_t>(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGESIZE);
  host.governor = first_line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
  host.halide =
      fmt::format("{}.{}.{}", HALIDE_VERSION_MAJOR, HALIDE_VERSION_MINOR, HALIDE_VERSION_PATCH);
  const int llvm = Halide::Internal::get_llvm_version();
  host.llvm = fmt::format("{}.{}", llvm / 10, llvm % 10);
  host.target = Halide::get_host_target().to_string();
  return host;
}

nlohmann::json to_json(const HostFacts& host) {
  return {{"cpu", host.cpu},
          {"cores", host.cores},
          {"affinity", host.affinity},
          {"caches", host.cache_bytes},
          {"memory_bytes", host.memory_bytes},
          {"governor", host.governor},
          {"halide", host.halide},
          {"llvm", host.llvm},
          {"target", host.target}};
}

std::string find_tool(const std::string& name) {
  const char* path = std::getenv("PATH");
  std::istringstream folders(path != nullptr ? path : "");
  for (std::string folder; std::getline(folders, folder, ':');) {
    const std::string full = (folder.empty() ? "." : folder) + "/" + name;
    if (access(full.c_str(), X_OK) == 0) return full;
  }
  return "";
}

}  // namespace frit
