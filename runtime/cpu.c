/* cpuid and xgetbv: no name of libc, no global state; asked once, by init. */
#include "cpu.h"

#include "error.h"

#define BIT(n) (UINT32_C(1) << (n))

/* Bits of the three words, by level. Halide's levels stand for a CPU model of LLVM (penryn,
 * haswell, skylake-avx512), whose code may hold any instruction of that model: hence more than the
 * vectors. */
static const frit_cpu_facts needs[FRIT_CPU_AVX512 + 1] = {
    {0, 0, 0, 0},
    /* SSE3, SSSE3, cmpxchg16b, SSE4.1 */
    {BIT(0) | BIT(9) | BIT(13) | BIT(19), 0, 0, 0},
    /* FMA, SSE4.2, movbe, popcnt, osxsave, AVX, F16C; BMI1, AVX2, BMI2; lzcnt; xmm and ymm saved */
    {BIT(12) | BIT(20) | BIT(22) | BIT(23) | BIT(27) | BIT(28) | BIT(29), BIT(3) | BIT(5) | BIT(8),
     BIT(5), BIT(1) | BIT(2)},
    /* AVX-512 F, DQ, CD, BW, VL; mask registers and zmm saved */
    {0, BIT(16) | BIT(17) | BIT(28) | BIT(30) | BIT(31), 0, BIT(5) | BIT(6) | BIT(7)}};

static int has_all(uint32_t word, uint32_t bits) { return (word & bits) == bits; }

int frit_cpu_level_of(const frit_cpu_facts* facts) {
  int level = 0;
  while (level < FRIT_CPU_AVX512) {
    const frit_cpu_facts* const next = &needs[level + 1];
    if (!has_all(facts->leaf1_ecx, next->leaf1_ecx) ||
        !has_all(facts->leaf7_ebx, next->leaf7_ebx) ||
        !has_all(facts->extended_ecx, next->extended_ecx) || !has_all(facts->xcr0, next->xcr0)) {
      break;
    }
    ++level;
  }
  return level;
}

#if defined(__x86_64__)

/* eax, ebx, ecx, edx of a leaf and its sub-leaf 0. */
static void cpuid(uint32_t leaf, uint32_t words[4]) {
  __asm__ volatile("cpuid"
                   : "=a"(words[0]), "=b"(words[1]), "=c"(words[2]), "=d"(words[3])
                   : "a"(leaf), "c"(0));
}

int frit_cpu_level(void) {
  frit_cpu_facts facts = {0, 0, 0, 0};
  uint32_t words[4];
  cpuid(0, words);
  const uint32_t last = words[0];
  cpuid(1, words);
  facts.leaf1_ecx = words[2];
  if (last >= 7) {
    cpuid(7, words);
    facts.leaf7_ebx = words[1];
  }
  cpuid(UINT32_C(0x80000000), words);
  if (words[0] >= UINT32_C(0x80000001)) {
    cpuid(UINT32_C(0x80000001), words);
    facts.extended_ecx = words[2];
  }
  if (facts.leaf1_ecx & BIT(27)) { /* the system has switched xgetbv on */
    uint32_t high;
    __asm__ volatile("xgetbv" : "=a"(facts.xcr0), "=d"(high) : "c"(0));
  }
  return frit_cpu_level_of(&facts);
}

#else

int frit_cpu_level(void) { return 0; }

#endif

int frit_choose_cpu_level(unsigned built, int wanted, int has, int* chosen) {
  *chosen = 0;
  if (built == 0) return wanted == 0 ? FRIT_OK : FRIT_CPU_LEVEL;
  if (wanted != 0) {
    if (wanted < 1 || wanted > FRIT_CPU_AVX512 || !(built >> wanted & 1U)) return FRIT_CPU_LEVEL;
    if (wanted > has) return FRIT_CPU_LACKS_LEVEL;
    *chosen = wanted;
    return FRIT_OK;
  }
  for (int level = has; level > 0; --level) {
    if (!(built >> level & 1U)) continue;
    *chosen = level;
    return FRIT_OK;
  }
  return FRIT_CPU_LACKS_LEVEL;
}
