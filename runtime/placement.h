/* On which CPU a thread runs, and how a worker gets off one that another thread of its pool uses.
 *
 * The system may put a worker onto the caller's own CPU and leave it there, with another one idle:
 * short bursts of work are too short for its balancing (measured: the same run 3.2 or 6.1 ms). */
#ifndef FRIT_PLACEMENT_H
#define FRIT_PLACEMENT_H

/* The CPU that runs the calling thread; -1 where the system does not tell. */
int frit_current_cpu(void);

/* Moves the calling thread to a CPU that it may use and that is not among `count` busy ones. Its
 * affinity mask is afterwards what it was, so the system stays free to move it again. Returns 0
 * when there is no such CPU. */
int frit_move_off(const int* busy, int count);

#endif
