/*
 * Blocking I/O: a call that would wait makes its fiber wait, so that the others go on.
 *
 * A descriptor is asked with poll(2) first, and the real call is made when it cannot
 * block any more. Nobody else runs between the two, so the answer stays true unless
 * another process takes the data away. What has no answer from poll (record locks, a
 * full backlog) is tried again without blocking, a millisecond of virtual time apart.
 */
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/msg.h>
#include <sys/select.h>
#include <sys/sendfile.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "arena.h"
#include "libc_calls.h"
#include "real.h"
#include "rt.h"
#include "sys.h"

#define PAUSE_NS 1000000ull /* between two tries of what poll cannot tell */
#define PIECES   16         /* parts of a vector written at once */

/* ---- what a descriptor is ---------------------------------------------- */

enum hd_fd_kind hd_rt_fd_kind(int fd)
{
	struct stat st;

	if (hd_sys(SYS_fstat, fd, &st) < 0)
		return HD_FD_FILE;
	if (S_ISREG(st.st_mode) || S_ISDIR(st.st_mode) || S_ISBLK(st.st_mode))
		return HD_FD_FILE;
	if (S_ISFIFO(st.st_mode))
		return HD_FD_PIPE;
	return S_ISSOCK(st.st_mode) ? HD_FD_SOCKET : HD_FD_OTHER;
}

/*
 * Pipes and pairs that this process made and has not shared: only its own threads can make
 * them ready. Known by inode, so that dup and close need no bookkeeping. A ring: the oldest
 * is forgotten when there are too many, and then merely taken for shared.
 */
#define CHANNELS 4096u

static struct channel {
	uint64_t ino;
	uint32_t number; /* the same for both ends */
} channels[CHANNELS];
static uint32_t nchannels, next_number;

/* What the trace calls the channels; the addresses are never read. */
static char channel_objects[CHANNELS], event_objects[1024], network_object;
static uint64_t eventfds[1024 / 64];

static void note_channel(int fd, uint32_t number)
{
	struct stat st;

	if (hd_sys(SYS_fstat, fd, &st) < 0)
		return;
	channels[nchannels % CHANNELS] = (struct channel){st.st_ino, number};
	nchannels++;
}

static void note_pair(const int fds[2])
{
	uint32_t number = next_number++;

	note_channel(fds[0], number);
	note_channel(fds[1], number);
}

static const struct channel *find_channel(int fd)
{
	uint32_t n = nchannels < CHANNELS ? nchannels : CHANNELS;
	struct stat st;

	if (!n || hd_sys(SYS_fstat, fd, &st) < 0 ||
	    !(S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode)))
		return NULL;
	for (uint32_t i = 0; i < n; i++) {
		const struct channel *c = &channels[(nchannels - 1 - i) % CHANNELS];

		if (c->ino == st.st_ino)
			return c;
	}
	return NULL;
}

static bool is_eventfd(int fd)
{
	return fd >= 0 && fd < 1024 && (eventfds[fd / 64] >> (fd % 64) & 1);
}

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
		if (f->wait_why == HD_TS_CHILD || (f->wait_why == HD_TS_IO && !f->io_nfds))
			return true;
		for (unsigned i = 0; i < f->io_nfds; i++) {
			int fd = f->io_fds[i].fd;

			if (fd >= 0 && !is_eventfd(fd) && !find_channel(fd))
				return true;
		}
	}
	return false;
}

/*
 * The object that stands for a descriptor in the trace. Everything that is not known to be
 * private shares one: that may hide a race, but never invents one.
 */
static uintptr_t fd_object(int fd)
{
	const struct channel *c;

	if (is_eventfd(fd))
		return (uintptr_t)&event_objects[fd];
	c = find_channel(fd);
	return c ? (uintptr_t)&channel_objects[c->number % CHANNELS] : (uintptr_t)&network_object;
}

void hd_rt_fd_release(int fd, enum hd_fd_kind kind)
{
	if (kind != HD_FD_FILE && hd_rt.opt.record != HD_REC_NONE)
		hd_rt_event(HD_OP_HB_RELEASE, fd_object(fd), 0, 0);
}

void hd_rt_fd_acquire(int fd, enum hd_fd_kind kind)
{
	if (kind != HD_FD_FILE && hd_rt.opt.record != HD_REC_NONE)
		hd_rt_event(HD_OP_HB_ACQUIRE, fd_object(fd), 0, 0);
}

/* ---- waiting ----------------------------------------------------------- */

static struct fiber *begin(uintptr_t caller)
{
	struct fiber *me = hd_rt_enter(caller);

	if (!me)
		return NULL;
	hd_rt_point();
	hd_rt_testcancel();
	return me;
}

/* As begin(), for calls that are no cancellation points. */
static struct fiber *begin_plain(uintptr_t caller)
{
	struct fiber *me = hd_rt_enter(caller);

	if (me)
		hd_rt_point();
	return me;
}

bool hd_rt_io_ready(int fd, short events)
{
	struct pollfd p = {.fd = fd, .events = events};

	return hd_sys(SYS_poll, &p, 1, 0) != 0;
}

static bool is_nonblocking(int fd)
{
	long flags = hd_sys(SYS_fcntl, fd, F_GETFL);

	return flags < 0 || (flags & O_NONBLOCK);
}

int hd_rt_io_wait(struct fiber *me, struct pollfd *fds, unsigned nfds, uint64_t deadline,
		  bool restart)
{
	enum hd_wake wake;

	me->io_fds = fds;
	me->io_nfds = nfds;
	wake = hd_rt_block_cancellable(HD_TS_IO, nfds ? (uintptr_t)fds[0].fd : 0, deadline, true);
	me->io_fds = NULL;
	me->io_nfds = 0;
	switch (wake) {
	case HD_TIMEOUT:
		return ETIMEDOUT;
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
		struct pollfd p = {.fd = fd, .events = events};
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
static uint64_t socket_deadline(int fd, int option)
{
	struct timeval tv = {0};
	socklen_t len = sizeof(tv);

	if (hd_sys(SYS_getsockopt, fd, SOL_SOCKET, option, &tv, &len) < 0)
		return HD_NEVER;
	if (!tv.tv_sec && !tv.tv_usec)
		return HD_NEVER;
	return hd_rt.now + (uint64_t)tv.tv_sec * HD_NS + (uint64_t)tv.tv_usec * 1000;
}

/* Wait until the real call does not block: 0 (make it) or an errno. */
static int wait_to_call(struct fiber *me, int fd, enum hd_fd_kind kind, short events)
{
	uint64_t deadline = HD_NEVER;

	if (kind == HD_FD_FILE)
		return 0;
	if (hd_rt_io_ready(fd, events))
		return 0;
	if (is_nonblocking(fd)) {
		hd_rt_yield(); /* whoever asks again and again lets the others work meanwhile */
		return 0;
	}
	if (kind == HD_FD_SOCKET)
		deadline = socket_deadline(fd, events == POLLIN ? SO_RCVTIMEO : SO_SNDTIMEO);
	return hd_rt_io_wait_fd(me, fd, events, deadline);
}

/* ---- the scheduler's side ---------------------------------------------- */

static struct pollfd *poll_set;
static unsigned poll_cap;

static bool waits_for_io(const struct fiber *f)
{
	return f->state == HD_F_BLOCKED && f->io_nfds &&
	       (f->wait_why == HD_TS_IO || f->wait_why == HD_TS_CHILD);
}

/* A wait for any child: there is no descriptor for that. */
static bool waits_for_any_child(const struct fiber *f)
{
	return f->state == HD_F_BLOCKED && f->wait_why == HD_TS_CHILD && !f->io_nfds;
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
		if (n + f->io_nfds > poll_cap) {
			unsigned cap = 2 * (n + f->io_nfds) + 16;

			poll_set = hd_rt_grow(poll_set, poll_cap * sizeof(*poll_set),
					      cap * sizeof(*poll_set));
			poll_cap = cap;
		}
		for (unsigned i = 0; i < f->io_nfds; i++)
			poll_set[n++] = f->io_fds[i];
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
		for (unsigned i = 0; i < f->io_nfds; i++)
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
	if (hd_sys(SYS_waitid, P_ALL, 0, &info,
		   WEXITED | WSTOPPED | WCONTINUED | WNOHANG | WNOWAIT, 0) == 0 &&
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
		if (hd_rt.nrunnable)
			hd_rt_livelock();
		hd_rt_deadlock();
	}
	return false;
}

/* ---- reading ----------------------------------------------------------- */

static size_t vector_bytes(const struct iovec *iov, int n)
{
	size_t total = 0;

	for (int i = 0; i < n; i++)
		total += iov[i].iov_len;
	return total;
}

static void vector_range(const struct iovec *iov, int n, size_t bytes, bool write)
{
	for (int i = 0; i < n && bytes; i++) {
		size_t part = iov[i].iov_len < bytes ? iov[i].iov_len : bytes;

		if (part)
			hd_rt_range(iov[i].iov_base, part, write);
		bytes -= part;
	}
}

/* After a call that filled @iov with @got bytes (or failed). */
static ssize_t end_read(int fd, enum hd_fd_kind kind, const struct iovec *iov, int n, ssize_t got)
{
	if (got >= 0) {
		hd_rt_progress();
		hd_rt_fd_acquire(fd, kind);
	}
	if (got > 0)
		vector_range(iov, n, (size_t)got, true);
	return got;
}

HD_EXPORT ssize_t read(int fd, void *buf, size_t count)
{
	struct fiber *me = begin(HD_CALLER);
	struct iovec iov = {buf, count};
	enum hd_fd_kind kind;
	int err;

	if (!me)
		return HD_REAL(read)(fd, buf, count);
	kind = hd_rt_fd_kind(fd);
	err = wait_to_call(me, fd, kind, POLLIN);
	if (err)
		return hd_rt_fail(err);
	hd_rt_settle();
	return end_read(fd, kind, &iov, 1, HD_REAL(read)(fd, buf, count));
}

HD_EXPORT ssize_t readv(int fd, const struct iovec *iov, int n)
{
	struct fiber *me = begin(HD_CALLER);
	enum hd_fd_kind kind;
	int err;

	if (!me)
		return HD_REAL(readv)(fd, iov, n);
	kind = hd_rt_fd_kind(fd);
	err = wait_to_call(me, fd, kind, POLLIN);
	if (err)
		return hd_rt_fail(err);
	hd_rt_settle();
	return end_read(fd, kind, iov, n, HD_REAL(readv)(fd, iov, n));
}

/* Files only: they never wait, but they fill memory. */
#define PREAD(name, offset_t)                                                                      \
	HD_EXPORT ssize_t name(int fd, void *buf, size_t count, offset_t at)                       \
	{                                                                                          \
		struct iovec iov = {buf, count};                                                   \
                                                                                                   \
		if (!begin(HD_CALLER))                                                             \
			return HD_REAL(name)(fd, buf, count, at);                                  \
		hd_rt_settle();                                                                    \
		return end_read(fd, HD_FD_FILE, &iov, 1, HD_REAL(name)(fd, buf, count, at));       \
	}
PREAD(pread, off_t)
PREAD(pread64, off64_t)

#define PREADV(name, offset_t)                                                                     \
	HD_EXPORT ssize_t name(int fd, const struct iovec *iov, int n, offset_t at)                \
	{                                                                                          \
		if (!begin(HD_CALLER))                                                             \
			return HD_REAL(name)(fd, iov, n, at);                                      \
		hd_rt_settle();                                                                    \
		return end_read(fd, HD_FD_FILE, iov, n, HD_REAL(name)(fd, iov, n, at));            \
	}
PREADV(preadv, off_t)
PREADV(preadv64, off64_t)

/* ---- writing ----------------------------------------------------------- */

/* The part of @iov after the first @skip bytes, at most @limit bytes of it; its pieces. */
static int vector_part(struct iovec out[PIECES], const struct iovec *iov, int n, size_t skip,
		       size_t limit)
{
	int pieces = 0;

	for (int i = 0; i < n && limit && pieces < PIECES; i++) {
		size_t len = iov[i].iov_len;

		if (skip >= len) {
			skip -= len;
			continue;
		}
		len -= skip;
		if (len > limit)
			len = limit;
		out[pieces].iov_base = (char *)iov[i].iov_base + skip;
		out[pieces++].iov_len = len;
		limit -= len;
		skip = 0;
	}
	return pieces;
}

/*
 * Write everything to a pipe whose reader may be one of our threads: a pipe that poll calls
 * writable takes PIPE_BUF bytes without blocking, so that much at a time.
 */
static ssize_t write_pipe(struct fiber *me, int fd, const struct iovec *iov, int n, size_t total)
{
	size_t done = 0;

	while (done < total) {
		struct iovec part[PIECES];
		int err = wait_to_call(me, fd, HD_FD_PIPE, POLLOUT);
		ssize_t r;

		if (err)
			return done ? (ssize_t)done : hd_rt_fail(err);
		r = HD_REAL(writev)(fd, part, vector_part(part, iov, n, done, PIPE_BUF));
		if (r < 0)
			return done ? (ssize_t)done : r;
		done += (size_t)r;
		hd_rt_progress();
	}
	return (ssize_t)done;
}

/* Send @msg, waiting as a blocking socket does. */
static ssize_t send_all(struct fiber *me, int fd, const struct msghdr *msg, int flags)
{
	size_t done = 0, total = vector_bytes(msg->msg_iov, (int)msg->msg_iovlen);
	uint64_t deadline = socket_deadline(fd, SO_SNDTIMEO);

	do {
		struct msghdr part = *msg;
		struct iovec iov[PIECES];
		ssize_t r;
		int err;

		if (done || msg->msg_iovlen > PIECES) {
			part.msg_iov = iov;
			part.msg_iovlen = (size_t)vector_part(iov, msg->msg_iov,
							      (int)msg->msg_iovlen, done, total);
		}
		if (done)
			part.msg_controllen = 0;
		r = HD_REAL(sendmsg)(fd, &part, flags | MSG_DONTWAIT);
		if (r < 0 && errno == EAGAIN) {
			/* Writable after all: a datagram whose receiver is full. */
			err = hd_rt_io_ready(fd, POLLOUT)
				      ? hd_rt_io_pause(me, (uintptr_t)fd)
				      : hd_rt_io_wait_fd(me, fd, POLLOUT, deadline);
			if (!err && hd_rt.now >= deadline)
				err = EAGAIN;
			if (err)
				return done ? (ssize_t)done : hd_rt_fail(err);
			continue;
		}
		if (r < 0)
			return done ? (ssize_t)done : r;
		done += (size_t)r;
		hd_rt_progress();
	} while (done < total);
	return (ssize_t)done;
}

/* Before anything is written: who reads it later knows what the writer knew. */
static void begin_write(int fd, enum hd_fd_kind kind, const struct iovec *iov, int n)
{
	vector_range(iov, n, SIZE_MAX, false);
	hd_rt_fd_release(fd, kind);
}

static ssize_t write_vector(struct fiber *me, int fd, const struct iovec *iov, int n)
{
	enum hd_fd_kind kind = hd_rt_fd_kind(fd);
	struct msghdr msg = {.msg_iov = (struct iovec *)iov, .msg_iovlen = (size_t)n};
	size_t total = vector_bytes(iov, n);
	int err;

	begin_write(fd, kind, iov, n);
	if (total && n <= IOV_MAX && (kind == HD_FD_PIPE || kind == HD_FD_SOCKET) &&
	    !is_nonblocking(fd))
		return kind == HD_FD_PIPE ? write_pipe(me, fd, iov, n, total)
					  : send_all(me, fd, &msg, 0);
	err = wait_to_call(me, fd, kind, POLLOUT);
	if (err)
		return hd_rt_fail(err);
	hd_rt_progress();
	return HD_REAL(writev)(fd, iov, n);
}

HD_EXPORT ssize_t write(int fd, const void *buf, size_t count)
{
	struct fiber *me = begin(HD_CALLER);
	struct iovec iov = {(void *)buf, count};

	return me ? write_vector(me, fd, &iov, 1) : HD_REAL(write)(fd, buf, count);
}

HD_EXPORT ssize_t writev(int fd, const struct iovec *iov, int n)
{
	struct fiber *me = begin(HD_CALLER);

	return me && n > 0 ? write_vector(me, fd, iov, n) : HD_REAL(writev)(fd, iov, n);
}

#define PWRITE(name, offset_t)                                                                     \
	HD_EXPORT ssize_t name(int fd, const void *buf, size_t count, offset_t at)                 \
	{                                                                                          \
		struct iovec iov = {(void *)buf, count};                                           \
                                                                                                   \
		if (begin(HD_CALLER))                                                              \
			begin_write(fd, HD_FD_FILE, &iov, 1);                                      \
		return HD_REAL(name)(fd, buf, count, at);                                          \
	}
PWRITE(pwrite, off_t)
PWRITE(pwrite64, off64_t)

#define PWRITEV(name, offset_t)                                                                    \
	HD_EXPORT ssize_t name(int fd, const struct iovec *iov, int n, offset_t at)                \
	{                                                                                          \
		if (begin(HD_CALLER))                                                              \
			begin_write(fd, HD_FD_FILE, iov, n);                                       \
		return HD_REAL(name)(fd, iov, n, at);                                              \
	}
PWRITEV(pwritev, off_t)
PWRITEV(pwritev64, off64_t)

/*
 * Between descriptors: less at once than asked for is allowed, and keeps the call from
 * waiting for a reader that is ours.
 */
#define SENDFILE(name, offset_t)                                                                   \
	HD_EXPORT ssize_t name(int out, int in, offset_t *at, size_t count)                        \
	{                                                                                          \
		struct fiber *me = begin(HD_CALLER);                                               \
		enum hd_fd_kind kind;                                                              \
		int err;                                                                           \
                                                                                                   \
		if (!me)                                                                           \
			return HD_REAL(name)(out, in, at, count);                                  \
		kind = hd_rt_fd_kind(out);                                                         \
		hd_rt_fd_release(out, kind);                                                       \
		err = wait_to_call(me, out, kind, POLLOUT);                                        \
		if (err)                                                                           \
			return hd_rt_fail(err);                                                    \
		hd_rt_progress();                                                                  \
		if (kind != HD_FD_FILE && count > PIPE_BUF)                                        \
			count = PIPE_BUF;                                                          \
		return HD_REAL(name)(out, in, at, count);                                          \
	}
SENDFILE(sendfile, off_t)
SENDFILE(sendfile64, off64_t)

HD_EXPORT ssize_t splice(int in, off64_t *in_at, int out, off64_t *out_at, size_t count,
			 unsigned int flags)
{
	struct fiber *me = begin(HD_CALLER);
	enum hd_fd_kind from, to;
	int err;

	if (!me || (flags & SPLICE_F_NONBLOCK))
		return HD_REAL(splice)(in, in_at, out, out_at, count, flags);
	from = hd_rt_fd_kind(in);
	to = hd_rt_fd_kind(out);
	err = wait_to_call(me, in, from, POLLIN);
	if (!err)
		err = wait_to_call(me, out, to, POLLOUT);
	if (err)
		return hd_rt_fail(err);
	hd_rt_fd_acquire(in, from);
	hd_rt_fd_release(out, to);
	hd_rt_progress();
	if (count > PIPE_BUF)
		count = PIPE_BUF;
	return HD_REAL(splice)(in, in_at, out, out_at, count, flags);
}

/* ---- sockets ----------------------------------------------------------- */

static ssize_t send_message(struct fiber *me, int fd, const struct msghdr *msg, int flags)
{
	begin_write(fd, HD_FD_SOCKET, msg->msg_iov, (int)msg->msg_iovlen);
	if ((flags & MSG_DONTWAIT) || is_nonblocking(fd))
		return HD_REAL(sendmsg)(fd, msg, flags);
	return send_all(me, fd, msg, flags);
}

HD_EXPORT ssize_t sendmsg(int fd, const struct msghdr *msg, int flags)
{
	struct fiber *me = begin(HD_CALLER);

	return me ? send_message(me, fd, msg, flags) : HD_REAL(sendmsg)(fd, msg, flags);
}

HD_EXPORT ssize_t sendto(int fd, const void *buf, size_t count, int flags,
			 __CONST_SOCKADDR_ARG to, socklen_t to_len)
{
	struct fiber *me = begin(HD_CALLER);
	struct iovec iov = {(void *)buf, count};
	struct msghdr msg = {.msg_name = (void *)to.__sockaddr__,
			     .msg_namelen = to_len,
			     .msg_iov = &iov,
			     .msg_iovlen = 1};

	return me ? send_message(me, fd, &msg, flags)
		  : HD_REAL(sendto)(fd, buf, count, flags, to, to_len);
}

HD_EXPORT ssize_t send(int fd, const void *buf, size_t count, int flags)
{
	struct fiber *me = begin(HD_CALLER);
	struct iovec iov = {(void *)buf, count};
	struct msghdr msg = {.msg_iov = &iov, .msg_iovlen = 1};

	return me ? send_message(me, fd, &msg, flags) : HD_REAL(send)(fd, buf, count, flags);
}

HD_EXPORT int sendmmsg(int fd, struct mmsghdr *msgs, unsigned int n, int flags)
{
	struct fiber *me = begin(HD_CALLER);
	unsigned int i;

	if (!me)
		return HD_REAL(sendmmsg)(fd, msgs, n, flags);
	for (i = 0; i < n; i++) {
		ssize_t r = send_message(me, fd, &msgs[i].msg_hdr, flags);

		if (r < 0)
			return i ? (int)i : -1;
		msgs[i].msg_len = (unsigned int)r;
	}
	return (int)i;
}

static int wait_to_receive(struct fiber *me, int fd, int flags)
{
	if (flags & (MSG_DONTWAIT | MSG_ERRQUEUE))
		return 0;
	return wait_to_call(me, fd, HD_FD_SOCKET, POLLIN);
}

/* MSG_WAITALL: until the whole buffer is full, the stream ends or somebody interrupts. */
static ssize_t receive_all(struct fiber *me, int fd, struct msghdr *msg, int flags)
{
	size_t done = 0, total = vector_bytes(msg->msg_iov, (int)msg->msg_iovlen);

	do {
		struct msghdr part = *msg;
		struct iovec iov[PIECES];
		int err = wait_to_receive(me, fd, flags);
		ssize_t r;

		if (err)
			return done ? (ssize_t)done : hd_rt_fail(err);
		part.msg_iov = iov;
		part.msg_iovlen =
			(size_t)vector_part(iov, msg->msg_iov, (int)msg->msg_iovlen, done, total);
		r = HD_REAL(recvmsg)(fd, &part, flags & ~MSG_WAITALL);
		if (r <= 0)
			return done ? (ssize_t)done : r;
		if (!done) {
			msg->msg_namelen = part.msg_namelen;
			msg->msg_controllen = part.msg_controllen;
		}
		msg->msg_flags = part.msg_flags;
		done += (size_t)r;
	} while (done < total);
	return (ssize_t)done;
}

static bool is_stream(int fd)
{
	int type = 0;
	socklen_t len = sizeof(type);

	hd_sys(SYS_getsockopt, fd, SOL_SOCKET, SO_TYPE, &type, &len);
	return type == SOCK_STREAM;
}

static ssize_t receive_message(struct fiber *me, int fd, struct msghdr *msg, int flags)
{
	ssize_t r;
	int err;

	hd_rt_settle();
	if ((flags & MSG_WAITALL) && !(flags & (MSG_DONTWAIT | MSG_PEEK)) && is_stream(fd)) {
		r = receive_all(me, fd, msg, flags);
	} else {
		err = wait_to_receive(me, fd, flags);
		if (err)
			return hd_rt_fail(err);
		r = HD_REAL(recvmsg)(fd, msg, flags);
	}
	return end_read(fd, HD_FD_SOCKET, msg->msg_iov, (int)msg->msg_iovlen, r);
}

HD_EXPORT ssize_t recvmsg(int fd, struct msghdr *msg, int flags)
{
	struct fiber *me = begin(HD_CALLER);

	return me ? receive_message(me, fd, msg, flags) : HD_REAL(recvmsg)(fd, msg, flags);
}

HD_EXPORT ssize_t recv(int fd, void *buf, size_t count, int flags)
{
	struct fiber *me = begin(HD_CALLER);
	struct iovec iov = {buf, count};
	struct msghdr msg = {.msg_iov = &iov, .msg_iovlen = 1};

	return me ? receive_message(me, fd, &msg, flags) : HD_REAL(recv)(fd, buf, count, flags);
}

HD_EXPORT ssize_t recvfrom(int fd, void *restrict buf, size_t count, int flags,
			   __SOCKADDR_ARG from, socklen_t *restrict from_len)
{
	struct fiber *me = begin(HD_CALLER);
	struct iovec iov = {buf, count};
	int err;

	if (!me)
		return HD_REAL(recvfrom)(fd, buf, count, flags, from, from_len);
	err = wait_to_receive(me, fd, flags);
	if (err)
		return hd_rt_fail(err);
	hd_rt_settle();
	return end_read(fd, HD_FD_SOCKET, &iov, 1,
			HD_REAL(recvfrom)(fd, buf, count, flags & ~MSG_WAITALL, from, from_len));
}

HD_EXPORT int recvmmsg(int fd, struct mmsghdr *msgs, unsigned int n, int flags,
		       struct timespec *timeout)
{
	struct fiber *me = begin(HD_CALLER);
	int err, r;

	if (!me)
		return HD_REAL(recvmmsg)(fd, msgs, n, flags, timeout);
	err = wait_to_receive(me, fd, flags);
	if (err)
		return hd_rt_fail(err);
	hd_rt_settle();
	/* Whatever is there: to wait for more would stop everybody. */
	r = HD_REAL(recvmmsg)(fd, msgs, n, flags | MSG_DONTWAIT, NULL);
	for (int i = 0; i < r; i++)
		end_read(fd, HD_FD_SOCKET, msgs[i].msg_hdr.msg_iov,
			 (int)msgs[i].msg_hdr.msg_iovlen, (ssize_t)msgs[i].msg_len);
	return r;
}

HD_EXPORT int accept4(int fd, __SOCKADDR_ARG addr, socklen_t *restrict len, int flags)
{
	struct fiber *me = begin(HD_CALLER);
	int err;

	if (!me)
		return HD_REAL(accept4)(fd, addr, len, flags);
	err = wait_to_call(me, fd, HD_FD_SOCKET, POLLIN);
	if (err)
		return hd_rt_fail(err);
	hd_rt_progress();
	hd_rt_fd_acquire(fd, HD_FD_SOCKET);
	return HD_REAL(accept4)(fd, addr, len, flags);
}

HD_EXPORT int accept(int fd, __SOCKADDR_ARG addr, socklen_t *restrict len)
{
	struct fiber *me = begin(HD_CALLER);
	int err;

	if (!me)
		return HD_REAL(accept)(fd, addr, len);
	err = wait_to_call(me, fd, HD_FD_SOCKET, POLLIN);
	if (err)
		return hd_rt_fail(err);
	hd_rt_progress();
	hd_rt_fd_acquire(fd, HD_FD_SOCKET);
	return HD_REAL(accept)(fd, addr, len);
}

/* connect(2) that does not wait: 0 or an errno. */
static int try_connect(int fd, __CONST_SOCKADDR_ARG addr, socklen_t len)
{
	long flags = hd_sys(SYS_fcntl, fd, F_GETFL);
	long r;

	hd_sys(SYS_fcntl, fd, F_SETFL, flags | O_NONBLOCK);
	r = hd_sys(SYS_connect, fd, addr.__sockaddr__, len);
	hd_sys(SYS_fcntl, fd, F_SETFL, flags);
	return (int)-r;
}

static int connect_result(int fd)
{
	int err = 0;
	socklen_t len = sizeof(err);

	hd_sys(SYS_getsockopt, fd, SOL_SOCKET, SO_ERROR, &err, &len);
	return err;
}

HD_EXPORT int connect(int fd, __CONST_SOCKADDR_ARG addr, socklen_t len)
{
	struct fiber *me = begin(HD_CALLER);
	int err;

	if (!me || is_nonblocking(fd))
		return HD_REAL(connect)(fd, addr, len);
	hd_rt_progress();
	hd_rt_fd_release(fd, HD_FD_SOCKET);
	/* A local socket whose listener has a full backlog says EAGAIN. */
	while ((err = try_connect(fd, addr, len)) == EAGAIN) {
		err = hd_rt_io_pause(me, (uintptr_t)fd);
		if (err)
			return hd_rt_fail(err);
	}
	if (err == EINPROGRESS || err == EALREADY) {
		err = hd_rt_io_wait_fd(me, fd, POLLOUT, HD_NEVER);
		if (!err)
			err = connect_result(fd);
	}
	return err ? hd_rt_fail(err) : 0;
}

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

static int poll_until(struct fiber *me, struct pollfd *fds, nfds_t n, uint64_t deadline)
{
	size_t size = n * sizeof(*fds);
	struct pollfd *mine;
	int err = 0, r;

	hd_rt_settle();
	r = HD_REAL(poll)(fds, n, 0);
	if (r)
		goto out;
	if (deadline <= hd_rt.now) {
		hd_rt_yield();
		return HD_REAL(poll)(fds, n, 0);
	}
	/* A copy: the program may change its array while we wait, as with the kernel. */
	mine = n ? hd_rt_alloc(size) : NULL;
	if (n)
		hd_rt_copy(mine, fds, size);
	while (!r && !err) {
		err = n ? hd_rt_io_wait(me, mine, (unsigned)n, deadline, false)
			: wait_for_nothing(deadline);
		if (err != EINTR && err != ECANCELED)
			r = HD_REAL(poll)(fds, n, 0);
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
		hd_rt_range(fds, size, true);
	}
	return r;
}

HD_EXPORT int poll(struct pollfd *fds, nfds_t n, int timeout)
{
	struct fiber *me = begin(HD_CALLER);

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
	struct fiber *me = begin(HD_CALLER);
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

static const short select_events[3] = {POLLIN | POLLRDHUP, POLLOUT, POLLPRI};

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
			s->fds[s->npoll++] = (struct pollfd){.fd = fd, .events = events};
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
	struct timeval zero = {0};
	int r;

	hd_rt_settle();
	r = HD_REAL(select)(s->nfds, s->set[0], s->set[1], s->set[2], &zero);
	if (r > 0)
		hd_rt_progress();
	return r;
}

static int select_until(struct fiber *me, int nfds, fd_set *rd, fd_set *wr, fd_set *ex,
			uint64_t deadline)
{
	struct select_call s = {.nfds = nfds, .set = {rd, wr, ex}};
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
	return err == EINTR ? hd_rt_fail(EINTR) : r;
}

HD_EXPORT int select(int nfds, fd_set *restrict rd, fd_set *restrict wr, fd_set *restrict ex,
		     struct timeval *restrict timeout)
{
	struct fiber *me = begin(HD_CALLER);
	uint64_t deadline = HD_NEVER, left;
	int r;

	if (!me)
		return HD_REAL(select)(nfds, rd, wr, ex, timeout);
	if (timeout)
		deadline = hd_rt.now + (uint64_t)timeout->tv_sec * HD_NS +
			   (uint64_t)timeout->tv_usec * 1000;
	r = select_until(me, nfds, rd, wr, ex, deadline);
	if (timeout) { /* Linux leaves what was left */
		left = deadline > hd_rt.now ? deadline - hd_rt.now : 0;
		timeout->tv_sec = (time_t)(left / HD_NS);
		timeout->tv_usec = (suseconds_t)(left % HD_NS / 1000);
	}
	return r;
}

HD_EXPORT int pselect(int nfds, fd_set *restrict rd, fd_set *restrict wr, fd_set *restrict ex,
		      const struct timespec *restrict timeout, const sigset_t *restrict mask)
{
	struct fiber *me = begin(HD_CALLER);
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

static int epoll_until(struct fiber *me, int ep, struct epoll_event *events, int max,
		       uint64_t deadline)
{
	struct pollfd p = {.fd = ep, .events = POLLIN};
	int err = 0, r;

	hd_rt_settle();
	r = HD_REAL(epoll_wait)(ep, events, max, 0);
	if (!r && deadline <= hd_rt.now)
		hd_rt_yield();
	while (!r && !err && deadline > hd_rt.now) {
		err = hd_rt_io_wait(me, &p, 1, deadline, false);
		if (err == ECANCELED)
			hd_rt_testcancel();
		if (err == EINTR)
			return hd_rt_fail(EINTR);
		r = HD_REAL(epoll_wait)(ep, events, max, 0);
	}
	if (r > 0) {
		hd_rt_progress();
		hd_rt_range(events, (size_t)r * sizeof(*events), true);
	}
	return r;
}

HD_EXPORT int epoll_wait(int ep, struct epoll_event *events, int max, int timeout)
{
	struct fiber *me = begin(HD_CALLER);

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
	struct fiber *me = begin(HD_CALLER);

	return me ? epoll_masked(me, ep, events, max, deadline_ms(timeout), mask)
		  : HD_REAL(epoll_pwait)(ep, events, max, timeout, mask);
}

HD_EXPORT int epoll_pwait2(int ep, struct epoll_event *events, int max,
			   const struct timespec *timeout, const sigset_t *mask)
{
	struct fiber *me = begin(HD_CALLER);

	return me ? epoll_masked(me, ep, events, max, deadline_ts(timeout), mask)
		  : HD_REAL(epoll_pwait2)(ep, events, max, timeout, mask);
}

/* ---- descriptors ------------------------------------------------------- */

HD_EXPORT int pipe2(int fds[2], int flags)
{
	int r = HD_REAL(pipe2)(fds, flags);

	if (!r && hd_rt_enter(HD_CALLER))
		note_pair(fds);
	return r;
}

HD_EXPORT int pipe(int fds[2])
{
	int r = HD_REAL(pipe)(fds);

	if (!r && hd_rt_enter(HD_CALLER))
		note_pair(fds);
	return r;
}

HD_EXPORT int socketpair(int domain, int type, int protocol, int fds[2])
{
	int r = HD_REAL(socketpair)(domain, type, protocol, fds);

	if (!r && hd_rt_enter(HD_CALLER))
		note_pair(fds);
	return r;
}

HD_EXPORT int eventfd(unsigned int count, int flags)
{
	int fd = HD_REAL(eventfd)(count, flags);

	if (fd >= 0 && fd < 1024 && hd_rt_enter(HD_CALLER))
		eventfds[fd / 64] |= 1ull << (fd % 64);
	return fd;
}

HD_EXPORT int close(int fd)
{
	/* The other end of a pipe may wait for this. */
	if (begin(HD_CALLER)) {
		hd_rt_progress();
		hd_rt_fd_release(fd, hd_rt_fd_kind(fd));
		if (is_eventfd(fd))
			eventfds[fd / 64] &= ~(1ull << (fd % 64));
	}
	return HD_REAL(close)(fd);
}

HD_EXPORT int shutdown(int fd, int how)
{
	if (begin_plain(HD_CALLER)) {
		hd_rt_progress();
		hd_rt_fd_release(fd, HD_FD_SOCKET);
	}
	return HD_REAL(shutdown)(fd, how);
}

/* ---- opening a FIFO ---------------------------------------------------- */

static bool is_fifo_to_wait_for(int dir, const char *path, int flags)
{
	struct stat st;

	if ((flags & (O_NONBLOCK | O_PATH | O_DIRECTORY)) || (flags & O_ACCMODE) == O_RDWR)
		return false;
	return hd_sys(SYS_newfstatat, dir, path, &st, 0) == 0 && S_ISFIFO(st.st_mode);
}

/*
 * A writer waits until there is a reader. A reader does not wait here: it would wait for a
 * writer, and its first read does that anyway.
 */
static int open_fifo(struct fiber *me, int dir, const char *path, int flags)
{
	long fd;
	int err;

	while ((fd = hd_sys(SYS_openat, dir, path, flags | O_NONBLOCK, 0)) == -ENXIO) {
		err = hd_rt_io_pause(me, 0);
		if (err)
			return hd_rt_fail(err);
	}
	if (fd < 0)
		return hd_rt_fail((int)-fd);
	hd_sys(SYS_fcntl, fd, F_SETFL, flags & ~(O_CREAT | O_EXCL | O_TRUNC));
	return (int)fd;
}

static int open_at(uintptr_t caller, int dir, const char *path, int flags, mode_t mode)
{
	struct fiber *me = begin(caller);

	if (me && is_fifo_to_wait_for(dir, path, flags))
		return open_fifo(me, dir, path, flags);
	return HD_REAL(openat)(dir, path, flags, mode);
}

/* The mode is there only if a file may be made. */
static mode_t mode_argument(int flags, va_list args)
{
	return (flags & O_CREAT) || (flags & O_TMPFILE) == O_TMPFILE
		       ? (mode_t)va_arg(args, unsigned int)
		       : 0;
}

#define OPEN(name)                                                                                 \
	HD_EXPORT int name(const char *path, int flags, ...)                                       \
	{                                                                                          \
		va_list args;                                                                      \
		mode_t mode;                                                                       \
                                                                                                   \
		va_start(args, flags);                                                             \
		mode = mode_argument(flags, args);                                                 \
		va_end(args);                                                                      \
		return open_at(HD_CALLER, AT_FDCWD, path, flags, mode);                            \
	}
OPEN(open)
OPEN(open64)

#define OPENAT(name)                                                                               \
	HD_EXPORT int name(int dir, const char *path, int flags, ...)                              \
	{                                                                                          \
		va_list args;                                                                      \
		mode_t mode;                                                                       \
                                                                                                   \
		va_start(args, flags);                                                             \
		mode = mode_argument(flags, args);                                                 \
		va_end(args);                                                                      \
		return open_at(HD_CALLER, dir, path, flags, mode);                                 \
	}
OPENAT(openat)
OPENAT(openat64)

int __open_2(const char *path, int flags);
int __open64_2(const char *path, int flags);

HD_EXPORT int __open_2(const char *path, int flags)
{
	return open_at(HD_CALLER, AT_FDCWD, path, flags, 0);
}

HD_EXPORT int __open64_2(const char *path, int flags)
{
	return open_at(HD_CALLER, AT_FDCWD, path, flags, 0);
}

/* ---- file locks -------------------------------------------------------- */

HD_EXPORT int flock(int fd, int op)
{
	struct fiber *me = begin_plain(HD_CALLER);
	int err;

	if (!me)
		return HD_REAL(flock)(fd, op);
	hd_rt_progress();
	while (HD_REAL(flock)(fd, op | LOCK_NB) < 0) {
		if (errno != EWOULDBLOCK || (op & LOCK_NB))
			return -1;
		err = hd_rt_io_pause(me, (uintptr_t)fd);
		if (err)
			return hd_rt_fail(err);
	}
	return 0;
}

static int lock_without_waiting(int cmd)
{
	return cmd == F_SETLKW ? F_SETLK : F_OFD_SETLK;
}

static int control(uintptr_t caller, int fd, int cmd, void *arg)
{
	struct fiber *me = begin(caller);
	int err;

	if (!me || (cmd != F_SETLKW && cmd != F_OFD_SETLKW))
		return HD_REAL(fcntl)(fd, cmd, arg);
	hd_rt_progress();
	while (HD_REAL(fcntl)(fd, lock_without_waiting(cmd), arg) < 0) {
		if (errno != EAGAIN && errno != EACCES)
			return -1;
		err = hd_rt_io_pause(me, (uintptr_t)fd);
		if (err)
			return hd_rt_fail(err);
	}
	return 0;
}

#define FCNTL(name)                                                                                \
	HD_EXPORT int name(int fd, int cmd, ...)                                                   \
	{                                                                                          \
		va_list args;                                                                      \
		void *arg;                                                                         \
                                                                                                   \
		va_start(args, cmd);                                                               \
		arg = va_arg(args, void *);                                                        \
		va_end(args);                                                                      \
		return control(HD_CALLER, fd, cmd, arg);                                           \
	}
FCNTL(fcntl)
FCNTL(fcntl64)

#define LOCKF(name, offset_t)                                                                      \
	HD_EXPORT int name(int fd, int cmd, offset_t len)                                          \
	{                                                                                          \
		struct fiber *me = begin(HD_CALLER);                                               \
		int err;                                                                           \
                                                                                                   \
		if (!me || cmd != F_LOCK)                                                          \
			return HD_REAL(name)(fd, cmd, len);                                        \
		hd_rt_progress();                                                                  \
		while (HD_REAL(name)(fd, F_TLOCK, len) < 0) {                                      \
			if (errno != EAGAIN && errno != EACCES)                                    \
				return -1;                                                         \
			err = hd_rt_io_pause(me, (uintptr_t)fd);                                   \
			if (err)                                                                   \
				return hd_rt_fail(err);                                            \
		}                                                                                  \
		return 0;                                                                          \
	}
LOCKF(lockf, off_t)
LOCKF(lockf64, off64_t)

/* ---- System V messages -------------------------------------------------- */

HD_EXPORT int msgsnd(int id, const void *msg, size_t size, int flags)
{
	struct fiber *me = begin(HD_CALLER);
	int err;

	if (!me || (flags & IPC_NOWAIT))
		return HD_REAL(msgsnd)(id, msg, size, flags);
	hd_rt_progress();
	while (HD_REAL(msgsnd)(id, msg, size, flags | IPC_NOWAIT) < 0) {
		if (errno != EAGAIN)
			return -1;
		err = hd_rt_io_pause(me, (uintptr_t)id);
		if (err)
			return hd_rt_fail(err);
	}
	return 0;
}

HD_EXPORT ssize_t msgrcv(int id, void *msg, size_t size, long type, int flags)
{
	struct fiber *me = begin(HD_CALLER);
	ssize_t r;
	int err;

	if (!me || (flags & IPC_NOWAIT))
		return HD_REAL(msgrcv)(id, msg, size, type, flags);
	hd_rt_settle();
	while ((r = HD_REAL(msgrcv)(id, msg, size, type, flags | IPC_NOWAIT)) < 0) {
		if (errno != ENOMSG)
			return -1;
		err = hd_rt_io_pause(me, (uintptr_t)id);
		if (err)
			return hd_rt_fail(err);
	}
	hd_rt_progress();
	hd_rt_range(msg, sizeof(long) + (size_t)r, true);
	return r;
}

HD_EXPORT int semop(int id, struct sembuf *ops, size_t n)
{
	if (begin(HD_CALLER)) {
		hd_rt_progress();
		hd_rt_drop("semop: waits without letting other threads run");
	}
	return HD_REAL(semop)(id, ops, n);
}

/* ---- what _FORTIFY_SOURCE calls instead --------------------------------- */

void __chk_fail(void) __attribute__((noreturn));

#define CHECKED(need, have)                                                                        \
	do {                                                                                       \
		if ((need) > (have))                                                               \
			__chk_fail();                                                              \
	} while (0)

ssize_t __read_chk(int fd, void *buf, size_t count, size_t room);
ssize_t __pread_chk(int fd, void *buf, size_t count, off_t at, size_t room);
ssize_t __pread64_chk(int fd, void *buf, size_t count, off64_t at, size_t room);
ssize_t __recv_chk(int fd, void *buf, size_t count, size_t room, int flags);
ssize_t __recvfrom_chk(int fd, void *buf, size_t count, size_t room, int flags,
		       __SOCKADDR_ARG from, socklen_t *from_len);
int __poll_chk(struct pollfd *fds, nfds_t n, int timeout, size_t room);
int __ppoll_chk(struct pollfd *fds, nfds_t n, const struct timespec *timeout, const sigset_t *mask,
		size_t room);

HD_EXPORT ssize_t __read_chk(int fd, void *buf, size_t count, size_t room)
{
	CHECKED(count, room);
	return read(fd, buf, count);
}

HD_EXPORT ssize_t __pread_chk(int fd, void *buf, size_t count, off_t at, size_t room)
{
	CHECKED(count, room);
	return pread(fd, buf, count, at);
}

HD_EXPORT ssize_t __pread64_chk(int fd, void *buf, size_t count, off64_t at, size_t room)
{
	CHECKED(count, room);
	return pread64(fd, buf, count, at);
}

HD_EXPORT ssize_t __recv_chk(int fd, void *buf, size_t count, size_t room, int flags)
{
	CHECKED(count, room);
	return recv(fd, buf, count, flags);
}

HD_EXPORT ssize_t __recvfrom_chk(int fd, void *buf, size_t count, size_t room, int flags,
				 __SOCKADDR_ARG from, socklen_t *from_len)
{
	CHECKED(count, room);
	return recvfrom(fd, buf, count, flags, from, from_len);
}

HD_EXPORT int __poll_chk(struct pollfd *fds, nfds_t n, int timeout, size_t room)
{
	CHECKED(n, room / sizeof(*fds));
	return poll(fds, n, timeout);
}

HD_EXPORT int __ppoll_chk(struct pollfd *fds, nfds_t n, const struct timespec *timeout,
			  const sigset_t *mask, size_t room)
{
	CHECKED(n, room / sizeof(*fds));
	return ppoll(fds, n, timeout, mask);
}
