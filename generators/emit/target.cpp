#include "generators/emit/target.h"

#include <array>
#include <utility>

namespace frit {
namespace {

using Halide::Target;

// Ours -> Halide's.
constexpr std::array<std::pair<const char*, const char*>, 7> kNames = {{
    {"host", "host"},
    {"x86", "x86-64-linux-sse41"},
    {"x86.avx2", "x86-64-linux-sse41-avx-avx2-fma-f16c"},
    {"x86.avx512", "x86-64-linux-sse41-avx-avx2-fma-f16c-avx512-avx512_skylake"},
    {"arm", "arm-64-linux"},
    {"cuda", "host-cuda-cuda_capability_75"},
    {"opencl", "host-opencl"},
}};

constexpr std::array<Target::Feature, 4> kPackageFeatures = {
    Target::NoAsserts, Target::NoBoundsQuery, Target::NoRuntime, Target::UserContext};

}  // namespace

Result<Target> parse_target(const std::string& name, bool debug) {
  std::string text = name;
  for (const auto& [ours, halide] : kNames) {
    if (name == ours) text = halide;
  }
  if (!Target::validate_target_string(text)) {
    return fail("target-name",
                "'" + name +
                    "' is no target; use host, x86, x86.avx2, x86.avx512, arm, cuda, "
                    "opencl, or a Halide target string such as x86-64-linux-avx2");
  }
  Target target(text);
  const bool known = target.bits == 64 && target.os == Target::Linux &&
                     (target.arch == Target::X86 || target.arch == Target::ARM);
  if (!known) {
    return fail("target-name",
                "target '" + target.to_string() +
                    "' is not one that frit compiles for: x86-64-linux and arm-64-linux, with or "
                    "without cuda or opencl; pass one of these with --target");
  }
  for (const Target::Feature feature : kPackageFeatures) {
    if (debug && (feature == Target::NoAsserts || feature == Target::NoBoundsQuery)) continue;
    target.set_feature(feature);
  }
  return target;
}

std::string target_text(const Target& target) {
  Target plain = target;
  for (const Target::Feature feature : kPackageFeatures) plain.set_feature(feature, false);
  return plain.to_string();
}

}  // namespace frit
