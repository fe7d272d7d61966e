// Facts about this machine, for doctor and for the header of every result in JSON.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace frit {

struct HostFacts {
  std::string cpu;                        ///< model name
  int cores = 0;                          ///< that this process may use
  std::vector<int> affinity;              ///< their numbers
  std::vector<std::int64_t> cache_bytes;  ///< data caches of core 0: L1, L2, L3 …
  std::int64_t memory_bytes = 0;
  std::string governor;  ///< "" where the system does not say
  std::string halide;    ///< "21.0.0"
  std::string llvm;      ///< "21.1"
  std::string target;    ///< Halide's host target
};

HostFacts host_facts();

/// {cpu,cores,caches,governor,affinity,halide,llvm,target}
nlohmann::json to_json(const HostFacts& host);

/// Full path of a program on PATH, or "".
std::string find_tool(const std::string& name);

}  // namespace frit
