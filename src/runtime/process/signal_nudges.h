/*
 * Signals for programs that reach no scheduling point.
 */
#ifndef HD_RUNTIME_SIGNAL_NUDGES_H
#define HD_RUNTIME_SIGNAL_NUDGES_H

#include <stdbool.h>

#define HD_RT_NUDGE 32 /* the signal of ours */

/* The handler for it is there; false: it cannot be. */
bool hd_rt_nudge_prepare(void);
/* A signal has come and waits. Context: also the kernel's handler. */
void hd_rt_nudge_signal(void);
/* The program has armed a timer that brings a signal. */
void hd_rt_nudge_timer(void);

#endif
