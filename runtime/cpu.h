/* Which CPU level's kernels run: a package may hold its kernels for several levels of x86-64. */
#ifndef FRIT_CPU_H
#define FRIT_CPU_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Ascending: a CPU of one level has all below. The numbers stand in headers of packages. */
enum {
  FRIT_CPU_BASELINE = 1, /* SSE4.1 */
  FRIT_CPU_AVX2 = 2,     /* AVX2, FMA, F16C and the integer instructions of their first CPUs */
  FRIT_CPU_AVX512 = 3    /* AVX-512 F, CD, BW, DQ, VL: any server CPU since 2017, Zen 4 */
};

/* What the CPU and the operating system say of themselves. */
typedef struct frit_cpu_facts {
  uint32_t leaf1_ecx, leaf7_ebx, extended_ecx; /* cpuid 1, 7.0 and 0x80000001; 0 where not there */
  uint32_t xcr0; /* registers that the system saves; 0 where it saves none by xsave */
} frit_cpu_facts;

/* The highest level, or 0: not even the baseline. */
int frit_cpu_level_of(const frit_cpu_facts* facts);

/* The highest level of this machine; 0 where it is no x86-64. */
int frit_cpu_level(void);

/* Sets `chosen` to the level whose kernels a context runs and returns 0, or a code of error.h.
 * `built`: bit l stands for kernels of level l; 0: the package has one target and no levels.
 * `wanted`: a level, or 0 for the highest that this machine, of level `has`, can run. */
int frit_choose_cpu_level(unsigned built, int wanted, int has, int* chosen);

#ifdef __cplusplus
}
#endif

#endif
