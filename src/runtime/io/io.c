/*
 * Blocking I/O: a call that would wait makes its fiber wait, so that the others go on.
 *
 * A descriptor is asked with poll(2) first, and the real call is made when it cannot
 * block any more. Nobody else runs between the two, so the answer stays true unless
 * another process takes the data away. What has no answer from poll (record locks, a
 * full backlog) is tried again without blocking, a millisecond of virtual time apart.
 */
#include <sys/file.h>
#include <sys/wait.h>

#include "behind.h"
#include "io.h"
#include "runtime/explore/explore.h"
#include "runtime/memory/arena.h"
#include "runtime/real.h"
#include "runtime/rt.h"
#include "runtime/sys.h"

#define PAUSE_NS 1000000ull /* between two tries of what poll cannot tell */

/* ---- who else there is -------------------------------------------------- */

static bool shared_with_others;

void hd_rt_io_shared(void)
{
	shared_with_others = true;
}

bool hd_rt_io_outside(void)
{
	if (shared_with_others)
		return true;
	for (struct fiber *f = hd_rt.all; f; f = f->next) {
		if (f->state != HD_F_BLOCKED)
			continue;
		if (f->wait.why == HD_TS_CHILD || (f->wait.why == HD_TS_IO && !f->wait.nfds))
			return true;
		for (unsigned i = 0; i < f->wait.nfds; i++) {
			int fd = f->wait.fds[i].fd;

			if (fd >= 0 && hd_rt_fd_reach(fd) == HD_FD_OUTSIDE)
				return true;
		}
	}
	return false;
}

bool hd_rt_io_awaits_signal(const struct fiber *f)
{
	for (unsigned i = 0; i < f->wait.nfds; i++) {
		if (f->wait.fds[i].fd >= 0 && hd_rt_fd_reach(f->wait.fds[i].fd) == HD_FD_SIGNALLED)
			return true;
	}
	return false;
}

/* ---- what descriptors order ---------------------------------------------- */

static bool epoll_used;
static char any_descriptor; /* stands for all of them */

void hd_rt_fd_release(int fd, enum hd_fd_kind kind)
{
	if (kind == HD_FD_FILE || !hd_rt_watches_order())
		return;
	hd_rt_event(HD_OP_HB_RELEASE, hd_rt_fd_object(fd), 0, 0);
	if (epoll_used)
		hd_rt_event(HD_OP_HB_RELEASE, (uintptr_t)&any_descriptor, 0, 0);
}

void hd_rt_io_expect_epoll(void)
{
	epoll_used = true;
}

void hd_rt_io_in_vain_any(void)
{
	hd_rt_explore_come((uintptr_t)&any_descriptor);
}

void hd_rt_io_acquire_any(void)
{
	if (hd_rt_watches_order())
		hd_rt_event(HD_OP_HB_ACQUIRE, (uintptr_t)&any_descriptor, 0, 0);
}

/* May another process have had a say in what there is to read? */
static bool is_from_outside(int fd, enum hd_fd_kind kind)
{
	if (kind != HD_FD_PIPE && kind != HD_FD_SOCKET)
		return false;
	return shared_with_others || hd_rt_fd_reach(fd) != HD_FD_OURS;
}

void hd_rt_fd_acquire(int fd, enum hd_fd_kind kind)
{
	if (hd_rt.exploring && is_from_outside(fd, kind))
		hd_rt_explore_uses(HD_X_USES_OUTSIDE);
	if (kind != HD_FD_FILE && hd_rt_watches_order())
		hd_rt_event(HD_OP_HB_ACQUIRE, hd_rt_fd_object(fd), 0, 0);
}

/* ---- waiting ----------------------------------------------------------- */

/* As hd_rt_enter_cancellable(), for calls that are no cancellation points. */
struct fiber *hd_rt_io_begin_plain(uintptr_t caller)
{
	struct fiber *me = hd_rt_enter(caller);

	if (me)
		hd_rt_point();
	return me;
}

void hd_rt_io_in_vain(const struct pollfd *fds, unsigned nfds)
{
	for (unsigned i = 0; hd_rt.exploring && i < nfds; i++) {
		if (fds[i].fd >= 0)
			hd_rt_explore_come(hd_rt_fd_object(fds[i].fd));
	}
}

bool hd_rt_io_ready(int fd, short events)
{
	struct pollfd p = { .fd = fd, .events = events };
	bool ready = hd_sys(SYS_poll, &p, 1, 0) != 0;

	if (!ready)
		hd_rt_io_in_vain(&p, 1);
	return ready;
}

bool hd_rt_io_is_nonblocking(int fd)
{
	long flags = hd_sys(SYS_fcntl, fd, F_GETFL);

	return flags < 0 || (flags & O_NONBLOCK);
}

/* When will a timer make one of @fds ready? */
static uint64_t timers_due(const struct pollfd *fds, unsigned nfds)
{
	uint64_t due = HD_NEVER;

	for (unsigned i = 0; i < nfds; i++) {
		uint64_t one = hd_rt_fd_due(fds[i].fd);

		if (one < due)
			due = one;
	}
	return due;
}

int hd_rt_io_wait(struct fiber *me, struct pollfd *fds, unsigned nfds, uint64_t deadline,
		  bool restart)
{
	/* A wait for a timer is one that has an end, which may be decided to come. */
	uint64_t due = timers_due(fds, nfds), until = due < deadline ? due : deadline;
	enum hd_wake wake;

	me->wait.fds = fds;
	me->wait.nfds = nfds;
	wake = hd_rt_block_cancellable(HD_TS_IO, nfds ? (uintptr_t)fds[0].fd : 0, until, true);
	me->wait.fds = NULL;
	me->wait.nfds = 0;
	switch (wake) {
	case HD_TIMEOUT:
		return until < deadline ? 0 : ETIMEDOUT;
	case HD_CANCELLED:
		return ECANCELED;
	case HD_INTERRUPTED:
		return restart && hd_rt_signals_restart() ? 0 : EINTR;
	case HD_WOKEN:
		break;
	}
	return 0;
}

int hd_rt_io_wait_fd(struct fiber *me, int fd, short events, uint64_t deadline)
{
	while (!hd_rt_io_ready(fd, events)) {
		struct pollfd p = { .fd = fd, .events = events };
		int err = hd_rt_io_wait(me, &p, 1, deadline, deadline == HD_NEVER);

		if (err == ECANCELED) {
			hd_rt_testcancel();
			err = EINTR;
		}
		if (err)
			return err == ETIMEDOUT ? EAGAIN : err;
	}
	return 0;
}

int hd_rt_io_pause(struct fiber *me, uintptr_t about)
{
	enum hd_wake wake;

	/* Count as I/O without descriptors: when idle, the scheduler then waits for real. */
	wake = hd_rt_block_cancellable(HD_TS_IO, about, hd_rt.now + PAUSE_NS, true);
	if (wake == HD_CANCELLED)
		hd_rt_testcancel();
	if (wake == HD_INTERRUPTED && !hd_rt_signals_restart())
		return EINTR;
	return 0;
}

/* SO_RCVTIMEO or SO_SNDTIMEO as a deadline. */
uint64_t hd_rt_io_socket_deadline(int fd, int option)
{
	struct timeval tv = { 0 };
	socklen_t len = sizeof(tv);

	if (hd_sys(SYS_getsockopt, fd, SOL_SOCKET, option, &tv, &len) < 0)
		return HD_NEVER;
	if (!tv.tv_sec && !tv.tv_usec)
		return HD_NEVER;
	return hd_rt.now + (uint64_t)tv.tv_sec * HD_NS + (uint64_t)tv.tv_usec * 1000;
}

/* Wait until the real call does not block: 0 (make it) or an errno. */
int hd_rt_io_wait_to_call(struct fiber *me, int fd, enum hd_fd_kind kind, short events)
{
	uint64_t deadline = HD_NEVER;

	if (kind == HD_FD_FILE)
		return 0;
	if (hd_rt_io_ready(fd, events))
		return 0;
	if (hd_rt_io_is_nonblocking(fd)) {
		hd_rt_yield(); /* whoever asks again and again lets the others work meanwhile */
		return 0;
	}
	if (kind == HD_FD_SOCKET)
		deadline =
			hd_rt_io_socket_deadline(fd, events == POLLIN ? SO_RCVTIMEO : SO_SNDTIMEO);
	return hd_rt_io_wait_fd(me, fd, events, deadline);
}

/* ---- the scheduler's side ---------------------------------------------- */

static struct pollfd *poll_set;
static unsigned poll_cap;

static bool waits_for_io(const struct fiber *f)
{
	return f->state == HD_F_BLOCKED && f->wait.nfds &&
	       (f->wait.why == HD_TS_IO || f->wait.why == HD_TS_CHILD);
}

void hd_rt_io_look_again(void)
{
	for (struct fiber *f = hd_rt.all; hd_rt.opt.any_time && f; f = f->next) {
		if (waits_for_io(f) && f->wait.why == HD_TS_IO)
			hd_rt_wake(f, HD_WOKEN);
	}
}

/* A wait for any child: there is no descriptor for that. */
static bool waits_for_any_child(const struct fiber *f)
{
	return f->state == HD_F_BLOCKED && f->wait.why == HD_TS_CHILD && !f->wait.nfds;
}

/* Everything that anybody waits for, in one array; its length. */
static unsigned collect(bool *any_child)
{
	unsigned n = 0;

	*any_child = false;
	for (struct fiber *f = hd_rt.all; f; f = f->next) {
		if (waits_for_any_child(f))
			*any_child = true;
		if (!waits_for_io(f))
			continue;
		if (n + f->wait.nfds > poll_cap) {
			unsigned cap = 2 * (n + f->wait.nfds) + 16;

			poll_set = hd_rt_grow(poll_set, poll_cap * sizeof(*poll_set),
					      cap * sizeof(*poll_set));
			poll_cap = cap;
		}
		for (unsigned i = 0; i < f->wait.nfds; i++)
			poll_set[n++] = f->wait.fds[i];
	}
	return n;
}

/* Wake those whose part of the array has an answer. */
static bool wake_ready(void)
{
	bool woken = false;
	unsigned n = 0;

	for (struct fiber *f = hd_rt.all; f; f = f->next) {
		bool ready = false;

		if (!waits_for_io(f))
			continue;
		for (unsigned i = 0; i < f->wait.nfds; i++)
			ready |= poll_set[n++].revents != 0;
		if (ready) {
			hd_rt_wake(f, HD_WOKEN);
			woken = true;
		}
	}
	return woken;
}

static bool wake_child_waiters(void)
{
	bool woken = false;
	siginfo_t info;

	info.si_pid = 0;
	if (hd_sys(SYS_waitid, P_ALL, 0, &info, WEXITED | WSTOPPED | WCONTINUED | WNOHANG | WNOWAIT,
		   0) == 0 &&
	    !info.si_pid)
		return false;
	for (struct fiber *f = hd_rt.all; f; f = f->next) {
		if (waits_for_any_child(f)) {
			hd_rt_wake(f, HD_WOKEN);
			woken = true;
		}
	}
	return woken;
}

static int64_t real_now(void)
{
	struct timespec ts;

	hd_sys(SYS_clock_gettime, CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * (int64_t)HD_NS + ts.tv_nsec;
}

/*
 * Nobody can run: wait for the outside, for at most @real_ns. Time that passes for real passes
 * for the program too.
 */
static bool wait_outside(unsigned n, bool any_child, int64_t real_ns)
{
	int64_t began = real_now(), passed;
	bool woken = false;
	long r;

	do {
		int64_t slice = real_ns;

		if (any_child && (slice < 0 || slice > (int64_t)PAUSE_NS))
			slice = PAUSE_NS;
		r = hd_rt_signals_ppoll(poll_set, n, slice);
		if (any_child)
			woken |= wake_child_waiters();
		passed = real_now() - began;
	} while (!r && !woken && (real_ns < 0 || passed < real_ns));

	if (r > 0)
		woken |= wake_ready();
	if (r != 0 || woken) {
		hd_rt_outside("waited for input, a child or a signal from outside");
		if (real_ns >= 0 && passed > real_ns)
			passed = real_ns;
		hd_rt_advance_to(hd_rt.now + (uint64_t)passed);
	}
	hd_rt_signals_route();
	return woken || r < 0;
}

bool hd_rt_io_poll(int64_t real_ns)
{
	bool any_child, woken = false;
	unsigned n = collect(&any_child);

	if (n && hd_sys(SYS_poll, poll_set, n, 0) > 0)
		woken = wake_ready();
	if (any_child)
		woken |= wake_child_waiters();
	if (woken || !real_ns)
		return woken;
	if (hd_rt_io_outside() || (real_ns < 0 && hd_rt_signals_expected()))
		return wait_outside(n, any_child, real_ns);
	/* Only we could have done it, and we all wait. */
	if (real_ns < 0) {
		if (hd_rt_behind_works(false) || !hd_rt_spinning_proved() ||
		    hd_rt_behind_works(true))
			return true;
		if (hd_rt.nrunnable)
			hd_rt_livelock();
		hd_rt_deadlock();
	}
	return false;
}
