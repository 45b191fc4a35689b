/*
 * Timers in virtual time.
 */
#ifndef HD_RUNTIME_TIMERS_H
#define HD_RUNTIME_TIMERS_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "runtime/rt.h"

struct hd_timer {
	struct hd_timer *next; /* among those that are armed, by due */
	uint64_t due;	       /* HD_NEVER: not armed */
	uint64_t interval;     /* 0: it expires once */
	uint64_t began;	       /* when it was armed */
	/* It has expired @n times more. Context: any, in the middle of a scheduling point. */
	void (*expired)(struct hd_timer *t, uint64_t n);
};

/* Arm @t, or disarm it (@due HD_NEVER). */
void hd_rt_timer_arm(struct hd_timer *t, uint64_t due, uint64_t interval);
/* How often @t has expired by now, once it is due; it then is due again, or not armed. */
uint64_t hd_rt_timer_expire(struct hd_timer *t);
/* Nanoseconds until @t is due, at least 1; 0: it is not armed. */
uint64_t hd_rt_timer_left(const struct hd_timer *t);

/* As timer_settime and timerfd_settime take it. */
bool hd_rt_timer_valid(const struct itimerspec *spec);
/* When is that, on @clock or (not @absolute) from now? HD_NEVER: zeros, which disarm. */
uint64_t hd_rt_timer_when(clockid_t clock, bool absolute, const struct timespec *value);
/* Arm @t as the program says. What is past already expires at once. */
void hd_rt_timer_set(struct hd_timer *t, clockid_t clock, bool absolute,
		     const struct itimerspec *spec);
/* As timer_gettime and timerfd_gettime show it. */
void hd_rt_timer_show(const struct hd_timer *t, struct itimerspec *out);

/* In a forked child: only timers of descriptors go on. */
void hd_rt_timers_after_fork_child(void);
/* posix_timers.c: the program has got this signal of a timer, and is told what it has missed. */
void hd_rt_timer_accepted(siginfo_t *info);
void hd_rt_posix_timers_after_fork_child(void);

#endif
