/*
 * Signals, for calls that wait, for timers, descriptors and processes. What the scheduler asks at
 * every point is in rt.h.
 */
#ifndef HD_RUNTIME_SIGNALS_H
#define HD_RUNTIME_SIGNALS_H

#include <poll.h>

#include "runtime/rt.h"

/* ---- signals.c ---------------------------------------------------------- */

/* Give every waiting signal that came from outside to a thread that takes it. */
void hd_rt_signals_route(void);
/* What the current thread has done is known to who handles @sig later. */
void hd_rt_signal_release(int sig);
/* A signal for the process (@target NULL) or a thread comes; false: nobody will get it. */
bool hd_rt_signal_raise(struct fiber *target, const siginfo_t *info);
/* ppoll(2) that no signal can slip past; what it returned, -EINTR included. */
long hd_rt_signals_ppoll(struct pollfd *fds, unsigned nfds, int64_t real_ns);
/* The kernel's view of the current thread's signals: for a child, and for exec. */
void hd_rt_signals_after_fork_child(void);
void hd_rt_signals_show_mask(void);
void hd_rt_signals_hide_mask(void);

/* ---- signal_handlers.c -------------------------------------------------- */

/* After HD_INTERRUPTED: every handler that ran was installed with SA_RESTART. */
bool hd_rt_signals_restart(void);

/* ---- signal_masks.c ----------------------------------------------------- */

/* @f takes no signals. */
void hd_rt_signals_block_all(struct fiber *f);
/* Replace the current fiber's mask, as ppoll and pselect do; false: a handler ran already. */
bool hd_rt_sigmask_enter(struct fiber *me, const sigset_t *mask, sigset_t *saved);
void hd_rt_sigmask_leave(struct fiber *me, const sigset_t *saved);

/* ---- signal_waits.c ----------------------------------------------------- */

/* Take the first of @set that waits for @me or the process; false: none does. */
bool hd_rt_signal_take(struct fiber *me, const sigset_t *set, siginfo_t *info);
/* There was none, and the current thread goes on without. */
void hd_rt_signal_missed(const sigset_t *set);
/* Wait until there may be one; 0 or EINTR. */
int hd_rt_signal_await(struct fiber *me, const sigset_t *set);
/* Does one of @set wait for anybody who blocks it? */
bool hd_rt_signals_pending_in(const sigset_t *set);

#endif
