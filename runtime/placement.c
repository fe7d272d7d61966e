#ifdef __linux__
#define _GNU_SOURCE /* sched_getcpu, cpu_set_t */
#endif
#include "placement.h"

#ifdef __linux__
#include <sched.h>

int frit_current_cpu(void) { return sched_getcpu(); }

int frit_move_off(const int* busy, int count) {
  cpu_set_t allowed, free_ones;
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return 0; /* over 1024 CPUs */
  free_ones = allowed;
  for (int i = 0; i < count; ++i) {
    if (busy[i] >= 0 && busy[i] < CPU_SETSIZE) CPU_CLR((unsigned)busy[i], &free_ones);
  }
  int any = 0;
  for (unsigned cpu = 0; cpu < CPU_SETSIZE && !any; ++cpu) any = CPU_ISSET(cpu, &free_ones) != 0;
  if (!any || sched_setaffinity(0, sizeof free_ones, &free_ones) != 0) return 0;
  sched_setaffinity(0, sizeof allowed, &allowed);
  return 1;
}
#else
int frit_current_cpu(void) { return -1; }

int frit_move_off(const int* busy, int count) {
  (void)busy;
  (void)count;
  return 0;
}
#endif
