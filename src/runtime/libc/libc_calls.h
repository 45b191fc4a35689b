/*
 * What the files that stand in for libc share: waiting for descriptors, signals and
 * virtual timers.
 */
#ifndef HD_RUNTIME_LIBC_CALLS_H
#define HD_RUNTIME_LIBC_CALLS_H

#include <errno.h>
#include <poll.h>
#include <sys/stat.h>

#include "runtime/rt.h"

#define HD_NS 1000000000ull

/* Set errno and return -1: hd_rt_fail(EINTR). */
static inline int hd_rt_fail(int err)
{
	errno = err;
	return -1;
}

/* ---- io.c -------------------------------------------------------------- */

/*
 * Block until poll(2) says that one of @fds is ready.
 * Returns 0 (perhaps too early: look again), ETIMEDOUT, EINTR or ECANCELED; with the last, free
 * what you hold and call hd_rt_testcancel().
 */
int hd_rt_io_wait(struct fiber *me, struct pollfd *fds, unsigned nfds, uint64_t deadline,
		  bool restart);
/* The same for one descriptor, until it is ready; 0, EAGAIN (timed out) or EINTR. */
int hd_rt_io_wait_fd(struct fiber *me, int fd, short events, uint64_t deadline);
bool hd_rt_io_ready(int fd, short events);
/* Wait a while for what poll(2) cannot tell; 0 or EINTR. */
int hd_rt_io_pause(struct fiber *me, uintptr_t about);

/*
 * Can a descriptor that somebody waits for become ready by anything but this process?
 * If not, nobody will ever wake those who wait.
 */
bool hd_rt_io_outside(void);
/* Does @f wait for a descriptor that a signal could make ready? */
bool hd_rt_io_awaits_signal(const struct fiber *f);
/* signalfd.c: signals have come, or were taken. */
void hd_rt_signalfds_show(void);
/* What the current thread has done is known to who hears of @sig by a descriptor later. */
void hd_rt_signalfds_release(int sig);
/* Another process now shares our descriptors. */
void hd_rt_io_shared(void);

/* ---- signals.c --------------------------------------------------------- */

/* After HD_INTERRUPTED: every handler that ran was installed with SA_RESTART. */
bool hd_rt_signals_restart(void);
/* Give every waiting signal that came from outside to a thread that takes it. */
void hd_rt_signals_route(void);
/* What the current thread has done is known to who handles @sig later. */
void hd_rt_signal_release(int sig);
/* A signal for the process (@target NULL) or a thread comes; false: nobody will get it. */
bool hd_rt_signal_raise(struct fiber *target, const siginfo_t *info);
/* Take the first of @set that waits for @me or the process; false: none does. */
bool hd_rt_signal_take(struct fiber *me, const sigset_t *set, siginfo_t *info);
/* There was none, and the current thread goes on without. */
void hd_rt_signal_missed(const sigset_t *set);
/* Wait until there may be one; 0 or EINTR. */
int hd_rt_signal_await(struct fiber *me, const sigset_t *set);
/* @f takes no signals. */
void hd_rt_signals_block_all(struct fiber *f);
/* Does one of @set wait for anybody who blocks it? */
bool hd_rt_signals_pending_in(const sigset_t *set);
/* Wait for a signal from outside, up to @real_ns (-1: for ever). */
void hd_rt_signals_wait(int64_t real_ns);
/* The handler that the program installed for a signal that the crash handler owns. */
bool hd_rt_signal_user_handler(int sig, struct sigaction *out);
/* Replace the current fiber's mask, as ppoll and pselect do; false: a handler ran already. */
bool hd_rt_sigmask_enter(struct fiber *me, const sigset_t *mask, sigset_t *saved);
void hd_rt_sigmask_leave(struct fiber *me, const sigset_t *saved);
/* ppoll(2) that no signal can slip past; what it returned, -EINTR included. */
long hd_rt_signals_ppoll(struct pollfd *fds, unsigned nfds, int64_t real_ns);
/* The kernel's view of the current thread's signals: for a child, and for exec. */
void hd_rt_signals_after_fork_child(void);
void hd_rt_signals_show_mask(void);
void hd_rt_signals_hide_mask(void);

/* ---- the core ---------------------------------------------------------- */

void hd_rt_note_start_time(uint64_t seconds);
void hd_rt_after_fork_child(void);

#endif
