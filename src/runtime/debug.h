/*
 * What a debugger's script uses: it says where to stop, and is stopped there. Scheduling
 * decisions and switches are counted from the start, so that a place in a replayed run has a
 * number, which is the same in every replay.
 */
#ifndef HD_RUNTIME_DEBUG_H
#define HD_RUNTIME_DEBUG_H

#include "rt.h"

/* The runtime is ready, the program has not begun. */
void hd_rt_debug_start(void);
/* A decision was made; @to: for this fiber to run, NULL: about something else. */
void hd_rt_debug_choice(const struct fiber *to);
/* The current fiber has just been switched to. */
void hd_rt_debug_switched(void);

#endif
