/*
 * Signals for programs that reach no scheduling point.
 */
#ifndef HD_RUNTIME_SIGNAL_NUDGES_H
#define HD_RUNTIME_SIGNAL_NUDGES_H

#include <stdint.h>

/* A signal has come and waits. Context: also the kernel's handler. */
void hd_rt_nudge_signal(void);
/* The program has armed a timer that brings a signal. */
void hd_rt_nudge_timer(void);

#endif
