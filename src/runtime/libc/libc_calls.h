/*
 * What the files that stand in for libc share: waiting for descriptors, signals and
 * virtual timers.
 */
#ifndef HD_RUNTIME_LIBC_CALLS_H
#define HD_RUNTIME_LIBC_CALLS_H

#include <errno.h>
#include <poll.h>
#include <sys/stat.h>

#include "runtime/process/signals.h"
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

#endif
