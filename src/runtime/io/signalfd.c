/*
 * Signals that are read: signalfd.
 *
 * Signals of the program wait in the runtime (signals.c), so the kernel's own descriptor would get
 * nothing. A read takes what the reading thread could take by sigwait. Others are told by poll as
 * soon as any thread has a signal of the mask that waits: which thread will read is not known yet.
 */
#include <sys/signalfd.h>
#include <sys/timerfd.h>

#include "io.h"
#include "runtime/memory/arena.h"
#include "runtime/real.h"
#include "runtime/rt.h"

struct signalfd {
	struct hd_descriptor d; /* first */
	struct signalfd *next;
	sigset_t mask;
};

static struct signalfd *all;

static void show(const struct signalfd *self)
{
	hd_rt_fd_show(&self->d, hd_rt_signals_pending_in(&self->mask));
}

void hd_rt_signalfds_show(void)
{
	for (const struct signalfd *s = all; s; s = s->next)
		show(s);
}

void hd_rt_signalfds_release(int sig)
{
	for (const struct signalfd *s = all; s; s = s->next) {
		if (sigismember(&s->mask, sig))
			hd_rt_fd_release(s->d.fd, HD_FD_SIGNAL);
	}
}

static void closed(struct hd_descriptor *d)
{
	struct signalfd **p = &all;

	while (&(*p)->d != d)
		p = &(*p)->next;
	*p = (*p)->next;
}

static struct signalfd *new_signalfd(int fd)
{
	struct signalfd *self = (struct signalfd *)hd_rt_fd_model(fd, HD_FD_SIGNAL, sizeof(*self));

	self->d.reach = HD_FD_SIGNALLED;
	self->d.closed = closed;
	self->next = all;
	all = self;
	return self;
}

HD_EXPORT int signalfd(int fd, const sigset_t *mask, int flags)
{
	struct signalfd *self;

	if (!hd_rt_io_begin_plain(HD_CALLER))
		return HD_REAL(signalfd)(fd, mask, flags);
	_Static_assert(SFD_NONBLOCK == (int)TFD_NONBLOCK && SFD_CLOEXEC == (int)TFD_CLOEXEC,
		       "flags");
	if (fd == -1) {
		fd = HD_REAL(timerfd_create)(CLOCK_MONOTONIC, flags);
		self = fd < 0 ? NULL : new_signalfd(fd);
	} else {
		self = (struct signalfd *)hd_rt_fd_find(fd, HD_FD_SIGNAL);
	}
	if (!self) /* for its errors */
		return HD_REAL(signalfd)(fd, mask, flags);
	self->mask = *mask;
	show(self);
	return fd;
}

/* ---- reading --------------------------------------------------------------- */

static void describe(struct signalfd_siginfo *out, const siginfo_t *info)
{
	hd_rt_fill(out, 0, sizeof(*out));
	out->ssi_signo = (uint32_t)info->si_signo;
	out->ssi_errno = info->si_errno;
	out->ssi_code = info->si_code;
	if (info->si_code == SI_TIMER) {
		out->ssi_tid = (uint32_t)info->si_timerid;
		out->ssi_overrun = (uint32_t)info->si_overrun;
	} else {
		out->ssi_pid = (uint32_t)info->si_pid;
		out->ssi_uid = info->si_uid;
	}
	if (info->si_signo == SIGCHLD && info->si_code > 0) {
		out->ssi_status = info->si_status;
		out->ssi_utime = (uint64_t)info->si_utime;
		out->ssi_stime = (uint64_t)info->si_stime;
	} else if (info->si_code != SI_USER && info->si_code != SI_TKILL) {
		out->ssi_ptr = (uint64_t)(uintptr_t)info->si_value.sival_ptr;
		out->ssi_int = info->si_value.sival_int;
	}
}

/* Wait for the first signal: 0 or an errno. */
static int wait_for_one(struct fiber *me, int fd, siginfo_t *info)
{
	const struct signalfd *self;
	bool looked = false;

	while ((self = (struct signalfd *)hd_rt_fd_find(fd, HD_FD_SIGNAL))) {
		sigset_t mask = self->mask;
		int err;

		if (hd_rt_signal_take(me, &mask, info))
			return 0;
		if (hd_rt_io_is_nonblocking(fd)) {
			if (looked) {
				hd_rt_signal_missed(&mask);
				return EAGAIN;
			}
			hd_rt_yield();
			looked = true;
			continue;
		}
		err = hd_rt_signal_await(me, &mask);
		if (err)
			return err;
	}
	return EBADF; /* somebody has closed it */
}

ssize_t hd_rt_signalfd_read(struct fiber *me, int fd, const struct iovec *iov, int n)
{
	size_t room = hd_rt_io_vector_bytes(iov, n) / sizeof(struct signalfd_siginfo), got = 0;
	struct signalfd_siginfo out;
	const struct signalfd *self;
	siginfo_t info;
	int err = room ? wait_for_one(me, fd, &info) : EINVAL;

	if (err)
		return hd_rt_fail(err);
	self = (struct signalfd *)hd_rt_fd_find(fd, HD_FD_SIGNAL);
	do {
		describe(&out, &info);
		hd_rt_io_vector_store(iov, n, got++ * sizeof(out), &out, sizeof(out));
	} while (got < room && hd_rt_signal_take(me, &self->mask, &info));
	return (ssize_t)(got * sizeof(out));
}
