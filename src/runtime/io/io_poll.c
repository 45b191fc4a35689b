/*
 * poll, select and epoll; see io.c.
 */
#include <sys/epoll.h>

#include "io.h"
#include "runtime/memory/arena.h"
#include "runtime/real.h"
#include "runtime/rt.h"
#include "runtime/sys.h"

/* ---- poll, select, epoll ------------------------------------------------ */

static uint64_t deadline_ms(int timeout)
{
	return timeout < 0 ? HD_NEVER : hd_rt.now + (uint64_t)timeout * 1000000;
}

static uint64_t deadline_ts(const struct timespec *ts)
{
	return ts ? hd_rt_deadline_rel(ts) : HD_NEVER;
}

/* A wait without descriptors: for a signal, or for time to pass. */
static int wait_for_nothing(uint64_t deadline)
{
	enum hd_wake wake = hd_rt_block_cancellable(
		deadline == HD_NEVER ? HD_TS_SIGNAL : HD_TS_SLEEP, 0, deadline, true);

	if (wake == HD_CANCELLED)
		hd_rt_testcancel();
	return wake == HD_TIMEOUT ? ETIMEDOUT : wake == HD_INTERRUPTED ? EINTR : 0;
}

static int poll_now(struct pollfd *fds, nfds_t n)
{
	int r = HD_REAL(poll)(fds, n, 0);

	if (!r)
		hd_rt_io_in_vain(fds, (unsigned)n);
	return r;
}

static int poll_until(struct fiber *me, struct pollfd *fds, nfds_t n, uint64_t deadline)
{
	size_t size = n * sizeof(*fds);
	struct pollfd *mine;
	int err = 0, r;

	hd_rt_settle();
	r = poll_now(fds, n);
	if (r)
		goto out;
	if (deadline <= hd_rt.now) {
		hd_rt_yield();
		return poll_now(fds, n);
	}
	/* A copy: the program may change its array while we wait, as with the kernel. */
	mine = n ? hd_rt_alloc(size) : NULL;
	if (n)
		hd_rt_copy(mine, fds, size);
	while (!r && !err) {
		err = n ? hd_rt_io_wait(me, mine, (unsigned)n, deadline, false)
			: wait_for_nothing(deadline);
		if (err != EINTR && err != ECANCELED)
			r = poll_now(fds, n);
	}
	if (n)
		hd_rt_free(mine, size);
	if (err == ECANCELED)
		hd_rt_testcancel();
	if (err == EINTR)
		return hd_rt_fail(EINTR);
out:
	if (r > 0) {
		hd_rt_progress();
		hd_rt_range_done(fds, size);
	}
	/* Knowing that there is something to read is knowing what came before it was written. */
	for (nfds_t i = 0; r > 0 && i < n; i++) {
		if (fds[i].fd >= 0 && fds[i].revents)
			hd_rt_fd_acquire(fds[i].fd, hd_rt_fd_kind(fds[i].fd));
	}
	return r;
}

HD_EXPORT int poll(struct pollfd *fds, nfds_t n, int timeout)
{
	struct fiber *me = hd_rt_enter_cancellable(HD_CALLER);

	return me ? poll_until(me, fds, n, deadline_ms(timeout)) : HD_REAL(poll)(fds, n, timeout);
}

/* Under another mask: true if a signal that it lets in has been handled at once. */
static bool interrupted_at_once(struct fiber *me, const sigset_t *mask, sigset_t *saved)
{
	if (!mask || hd_rt_sigmask_enter(me, mask, saved))
		return false;
	hd_rt_sigmask_leave(me, saved);
	return true;
}

HD_EXPORT int ppoll(struct pollfd *fds, nfds_t n, const struct timespec *timeout,
		    const sigset_t *mask)
{
	struct fiber *me = hd_rt_enter_cancellable(HD_CALLER);
	sigset_t saved;
	int r;

	if (!me)
		return HD_REAL(ppoll)(fds, n, timeout, mask);
	if (interrupted_at_once(me, mask, &saved))
		return hd_rt_fail(EINTR);
	r = poll_until(me, fds, n, deadline_ts(timeout));
	if (mask)
		hd_rt_sigmask_leave(me, &saved);
	return r;
}

/* The three sets of a select call, as one vector of words. */
struct select_call {
	int nfds;
	size_t bytes; /* of one set */
	fd_set *set[3];
	char *saved; /* the sets as they were given */
	struct pollfd *fds;
	unsigned npoll;
};

static const short select_events[3] = { POLLIN | POLLRDHUP, POLLOUT, POLLPRI };

static short wanted(const struct select_call *s, int fd)
{
	short events = 0;

	for (int k = 0; k < 3; k++) {
		if (s->set[k] && (((const unsigned long *)s->set[k])[fd / 64] >> (fd % 64) & 1))
			events |= select_events[k];
	}
	return events;
}

static void select_save(struct select_call *s)
{
	s->saved = hd_rt_alloc(3 * s->bytes);
	s->fds = hd_rt_alloc(sizeof(*s->fds) * (size_t)s->nfds);
	for (int k = 0; k < 3; k++) {
		if (s->set[k])
			hd_rt_copy(s->saved + (size_t)k * s->bytes, s->set[k], s->bytes);
	}
	for (int fd = 0; fd < s->nfds; fd++) {
		short events = wanted(s, fd);

		if (events)
			s->fds[s->npoll++] = (struct pollfd){ .fd = fd, .events = events };
	}
}

static void select_restore(struct select_call *s)
{
	for (int k = 0; k < 3; k++) {
		if (s->set[k])
			hd_rt_copy(s->set[k], s->saved + (size_t)k * s->bytes, s->bytes);
	}
}

static void select_free(struct select_call *s)
{
	hd_rt_free(s->saved, 3 * s->bytes);
	hd_rt_free(s->fds, sizeof(*s->fds) * (size_t)s->nfds);
}

static int select_now(const struct select_call *s)
{
	struct timeval zero = { 0 };
	int r;

	hd_rt_settle();
	r = HD_REAL(select)(s->nfds, s->set[0], s->set[1], s->set[2], &zero);
	if (!r)
		hd_rt_io_in_vain(s->fds, s->npoll);
	if (r <= 0)
		return r;
	hd_rt_progress();
	for (int k = 0; k < 3; k++) {
		if (s->set[k])
			hd_rt_range_done(s->set[k], s->bytes);
	}
	return r;
}

static int select_until(struct fiber *me, int nfds, fd_set *rd, fd_set *wr, fd_set *ex,
			uint64_t deadline)
{
	struct select_call s = { .nfds = nfds, .set = { rd, wr, ex } };
	int err = 0, r = 0;

	if (nfds < 0)
		return hd_rt_fail(EINVAL);
	if (!nfds)
		return wait_for_nothing(deadline) == EINTR ? hd_rt_fail(EINTR) : 0;
	s.bytes = ((size_t)nfds + 63) / 64 * 8;
	select_save(&s);
	r = select_now(&s);
	if (!r && deadline <= hd_rt.now)
		hd_rt_yield();
	while (!r && !err && deadline > hd_rt.now) {
		select_restore(&s);
		err = hd_rt_io_wait(me, s.fds, s.npoll, deadline, false);
		if (err != EINTR && err != ECANCELED)
			r = select_now(&s);
	}
	select_free(&s);
	if (err == ECANCELED)
		hd_rt_testcancel();
	for (int fd = 0; r > 0 && fd < nfds; fd++) {
		if ((rd && FD_ISSET(fd, rd)) || (wr && FD_ISSET(fd, wr)) ||
		    (ex && FD_ISSET(fd, ex)))
			hd_rt_fd_acquire(fd, hd_rt_fd_kind(fd));
	}
	return err == EINTR ? hd_rt_fail(EINTR) : r;
}

HD_EXPORT int select(int nfds, fd_set *restrict rd, fd_set *restrict wr, fd_set *restrict ex,
		     struct timeval *restrict timeout)
{
	struct fiber *me = hd_rt_enter_cancellable(HD_CALLER);
	uint64_t deadline = HD_NEVER, left;
	int r;

	if (!me)
		return HD_REAL(select)(nfds, rd, wr, ex, timeout);
	if (timeout)
		deadline = hd_rt.now + (uint64_t)timeout->tv_sec * HD_NS +
			   (uint64_t)timeout->tv_usec * 1000;
	r = select_until(me, nfds, rd, wr, ex, deadline);
	if (timeout) { /* Linux leaves what was left: some time has always passed */
		left = deadline > hd_rt.now ? deadline - hd_rt.now - 1 : 0;
		timeout->tv_sec = (time_t)(left / HD_NS);
		timeout->tv_usec = (suseconds_t)(left % HD_NS / 1000);
	}
	return r;
}

HD_EXPORT int pselect(int nfds, fd_set *restrict rd, fd_set *restrict wr, fd_set *restrict ex,
		      const struct timespec *restrict timeout, const sigset_t *restrict mask)
{
	struct fiber *me = hd_rt_enter_cancellable(HD_CALLER);
	sigset_t saved;
	int r;

	if (!me)
		return HD_REAL(pselect)(nfds, rd, wr, ex, timeout, mask);
	if (interrupted_at_once(me, mask, &saved))
		return hd_rt_fail(EINTR);
	r = select_until(me, nfds, rd, wr, ex, deadline_ts(timeout));
	if (mask)
		hd_rt_sigmask_leave(me, &saved);
	return r;
}

static int epoll_now(int ep, struct epoll_event *events, int max)
{
	int r = HD_REAL(epoll_wait)(ep, events, max, 0);

	if (!r)
		hd_rt_io_in_vain_any();
	return r;
}

static int epoll_until(struct fiber *me, int ep, struct epoll_event *events, int max,
		       uint64_t deadline)
{
	struct pollfd p = { .fd = ep, .events = POLLIN };
	int err = 0, r;

	hd_rt_settle();
	r = epoll_now(ep, events, max);
	if (!r && deadline <= hd_rt.now)
		hd_rt_yield();
	while (!r && !err && deadline > hd_rt.now) {
		err = hd_rt_io_wait(me, &p, 1, deadline, false);
		if (err == ECANCELED)
			hd_rt_testcancel();
		if (err == EINTR)
			return hd_rt_fail(EINTR);
		r = epoll_now(ep, events, max);
	}
	if (r > 0) {
		hd_rt_progress();
		hd_rt_range_done(events, (size_t)r * sizeof(*events));
		hd_rt_io_acquire_any();
	}
	return r;
}

static int new_epoll(uintptr_t caller, int fd)
{
	hd_rt_io_expect_epoll();
	if (fd >= 0 && hd_rt_enter(caller))
		hd_rt_fd_model(fd, HD_FD_EPOLL, sizeof(struct hd_descriptor));
	return fd;
}

HD_EXPORT int epoll_create(int size)
{
	return new_epoll(HD_CALLER, HD_REAL(epoll_create)(size));
}

HD_EXPORT int epoll_create1(int flags)
{
	return new_epoll(HD_CALLER, HD_REAL(epoll_create1)(flags));
}

HD_EXPORT int epoll_ctl(int ep, int op, int fd, struct epoll_event *event)
{
	int r = HD_REAL(epoll_ctl)(ep, op, fd, event);

	if (r || op != EPOLL_CTL_ADD || !hd_rt_enter(HD_CALLER))
		return r;
	hd_rt_fd_join_epoll(ep, fd);
	/* Who wrote to it before there was a set did not know that it would be heard of this way. */
	if (hd_rt_watches_order())
		hd_rt_event(HD_OP_HB_ACQUIRE, hd_rt_fd_object(fd), 0, 0);
	return r;
}

HD_EXPORT int epoll_wait(int ep, struct epoll_event *events, int max, int timeout)
{
	struct fiber *me = hd_rt_enter_cancellable(HD_CALLER);

	return me ? epoll_until(me, ep, events, max, deadline_ms(timeout))
		  : HD_REAL(epoll_wait)(ep, events, max, timeout);
}

static int epoll_masked(struct fiber *me, int ep, struct epoll_event *events, int max,
			uint64_t deadline, const sigset_t *mask)
{
	sigset_t saved;
	int r;

	if (interrupted_at_once(me, mask, &saved))
		return hd_rt_fail(EINTR);
	r = epoll_until(me, ep, events, max, deadline);
	if (mask)
		hd_rt_sigmask_leave(me, &saved);
	return r;
}

HD_EXPORT int epoll_pwait(int ep, struct epoll_event *events, int max, int timeout,
			  const sigset_t *mask)
{
	struct fiber *me = hd_rt_enter_cancellable(HD_CALLER);

	return me ? epoll_masked(me, ep, events, max, deadline_ms(timeout), mask)
		  : HD_REAL(epoll_pwait)(ep, events, max, timeout, mask);
}

HD_EXPORT int epoll_pwait2(int ep, struct epoll_event *events, int max,
			   const struct timespec *timeout, const sigset_t *mask)
{
	struct fiber *me = hd_rt_enter_cancellable(HD_CALLER);

	return me ? epoll_masked(me, ep, events, max, deadline_ts(timeout), mask)
		  : HD_REAL(epoll_pwait2)(ep, events, max, timeout, mask);
}
