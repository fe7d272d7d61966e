// target_facts: what conditions and parameters may know of the machine.
#include <utility>

#include "schedules/schedule.h"

namespace frit {

Facts target_facts(const Halide::Target& target, int threads) {
  using T = Halide::Target;
  const auto yes = [](bool value) { return static_cast<std::int64_t>(value ? 1 : 0); };
  const auto has = [&](T::Feature feature) { return yes(target.has_feature(feature)); };
  const bool is_x86 = target.arch == T::X86;
  const bool is_arm = target.arch == T::ARM;
  const bool gpu = target.has_gpu_feature();
  Facts facts;
  facts["x86"] = yes(is_x86);
  facts["arm"] = yes(is_arm);
  facts["bits"] = target.bits;
  facts["gpu"] = yes(gpu);
  facts["cuda"] = has(T::CUDA);
  facts["opencl"] = has(T::OpenCL);
  facts["sse41"] = has(T::SSE41);
  facts["avx"] = has(T::AVX);
  facts["avx2"] = has(T::AVX2);
  facts["fma"] = has(T::FMA);
  const bool avx512 =
      target.features_any_of({T::AVX512, T::AVX512_Skylake, T::AVX512_Cannonlake, T::AVX512_Zen4,
                              T::AVX512_Zen5, T::AVX512_SapphireRapids});
  facts["avx512"] = yes(avx512);
  facts["avx512_bf16"] =
      yes(target.features_any_of({T::AVX512_Zen4, T::AVX512_Zen5, T::AVX512_SapphireRapids}));
  facts["avx512_vnni"] = facts["avx512_bf16"];
  facts["neon"] = yes(is_arm && !target.has_feature(T::NoNEON));
  facts["arm_dot_prod"] = has(T::ARMDotProd);
  facts["lanes"] = target.natural_vector_size(Halide::Float(32));
  facts["registers"] = avx512 || (is_arm && target.bits == 64) ? 32 : 16;
  // Zen 4 runs 512-bit operations on units of 256 bits.
  facts["split_vectors"] = yes(avx512 && target.processor_tune == T::Processor::ZnVer4);
  facts["threads"] = threads;
  // At a CPU level below the one that packed the constants: the block they lie in (emit/bind.h).
  facts["packed_block"] = facts["packed_c"] = 0;
  // Without a machine profile: what every core of the last ten years has at least.
  facts["l1_bytes"] = 32 * 1024;
  facts["l2_bytes"] = 256 * 1024;
  return facts;
}

}  // namespace frit
