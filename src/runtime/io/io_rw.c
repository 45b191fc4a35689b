/*
 * Reading and writing; see io.c.
 */
#include <limits.h>
#include <sys/file.h>
#include <sys/sendfile.h>

#include "io.h"
#include "runtime/explore/explore.h"
#include "runtime/explore/common_state.h"
#include "runtime/memory/arena.h"
#include "runtime/real.h"
#include "runtime/rt.h"
#include "runtime/sys.h"

/* ---- reading ----------------------------------------------------------- */

size_t hd_rt_io_vector_bytes(const struct iovec *iov, int n)
{
	size_t total = 0;

	for (int i = 0; i < n; i++)
		total += iov[i].iov_len;
	return total;
}

void hd_rt_io_vector_store(const struct iovec *iov, int n, size_t at, const void *data, size_t len)
{
	const char *from = data;

	for (int i = 0; i < n && len; i++) {
		size_t part;

		if (at >= iov[i].iov_len) {
			at -= iov[i].iov_len;
			continue;
		}
		part = iov[i].iov_len - at < len ? iov[i].iov_len - at : len;
		hd_rt_copy((char *)iov[i].iov_base + at, from, part);
		from += part;
		len -= part;
		at = 0;
	}
}

static void vector_range(const struct iovec *iov, int n, size_t bytes, bool write)
{
	for (int i = 0; i < n && bytes; i++) {
		size_t part = iov[i].iov_len < bytes ? iov[i].iov_len : bytes;

		if (part && write)
			hd_rt_range_done(iov[i].iov_base, part);
		else if (part)
			hd_rt_range(iov[i].iov_base, part, false);
		bytes -= part;
	}
}

/* After a call that filled @iov with @got bytes (or failed). */
ssize_t hd_rt_io_end_read(int fd, enum hd_fd_kind kind, const struct iovec *iov, int n, ssize_t got)
{
	hd_rt_common_file(fd);
	if (got >= 0) {
		hd_rt_progress();
		hd_rt_fd_acquire(fd, kind);
	}
	if (got > 0)
		vector_range(iov, n, (size_t)got, true);
	if (got < 0 && errno == EAGAIN)
		hd_rt_io_in_vain(&(struct pollfd){ .fd = fd }, 1);
	return got;
}

/* Does a read of @iov fail before it looks whether there is anything? */
static bool is_too_short(enum hd_fd_kind kind, const struct iovec *iov, int n)
{
	return (kind == HD_FD_EVENT || kind == HD_FD_TIMER) &&
	       hd_rt_io_vector_bytes(iov, n) < sizeof(uint64_t);
}

static ssize_t read_vector(struct fiber *me, int fd, const struct iovec *iov, int n)
{
	enum hd_fd_kind kind = hd_rt_fd_kind(fd);
	ssize_t got;
	int err = 0;

	if (kind == HD_FD_SIGNAL)
		return hd_rt_io_end_read(fd, kind, iov, n, hd_rt_signalfd_read(me, fd, iov, n));
	if (!is_too_short(kind, iov, n))
		err = hd_rt_io_wait_to_call(me, fd, kind, POLLIN);
	if (err)
		return hd_rt_fail(err);
	hd_rt_settle();
	got = HD_REAL(readv)(fd, iov, n);
	if (kind == HD_FD_TIMER)
		got = hd_rt_timerfd_read(fd, iov, n, got);
	return hd_rt_io_end_read(fd, kind, iov, n, got);
}

HD_EXPORT ssize_t read(int fd, void *buf, size_t count)
{
	struct fiber *me = hd_rt_enter_cancellable(HD_CALLER);
	struct iovec iov = { buf, count };

	return me ? read_vector(me, fd, &iov, 1) : HD_REAL(read)(fd, buf, count);
}

HD_EXPORT ssize_t readv(int fd, const struct iovec *iov, int n)
{
	struct fiber *me = hd_rt_enter_cancellable(HD_CALLER);

	return me && n > 0 ? read_vector(me, fd, iov, n) : HD_REAL(readv)(fd, iov, n);
}

/* Files only: they never wait, but they fill memory. */
#define PREAD(name, offset_t)                                                                      \
	HD_EXPORT ssize_t name(int fd, void *buf, size_t count, offset_t at)                       \
	{                                                                                          \
		struct iovec iov = { buf, count };                                                 \
                                                                                                   \
		if (!hd_rt_enter_cancellable(HD_CALLER))                                           \
			return HD_REAL(name)(fd, buf, count, at);                                  \
		hd_rt_settle();                                                                    \
		return hd_rt_io_end_read(fd, HD_FD_FILE, &iov, 1,                                  \
					 HD_REAL(name)(fd, buf, count, at));                       \
	}
PREAD(pread, off_t)
PREAD(pread64, off64_t)

#define PREADV(name, offset_t)                                                                     \
	HD_EXPORT ssize_t name(int fd, const struct iovec *iov, int n, offset_t at)                \
	{                                                                                          \
		if (!hd_rt_enter_cancellable(HD_CALLER))                                           \
			return HD_REAL(name)(fd, iov, n, at);                                      \
		hd_rt_settle();                                                                    \
		return hd_rt_io_end_read(fd, HD_FD_FILE, iov, n, HD_REAL(name)(fd, iov, n, at));   \
	}
PREADV(preadv, off_t)
PREADV(preadv64, off64_t)

/* ---- writing ----------------------------------------------------------- */

/* The part of @iov after the first @skip bytes, at most @limit bytes of it; its pieces. */
int hd_rt_io_vector_part(struct iovec out[HD_IO_PIECES], const struct iovec *iov, int n,
			 size_t skip, size_t limit)
{
	int pieces = 0;

	for (int i = 0; i < n && limit && pieces < HD_IO_PIECES; i++) {
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
		struct iovec part[HD_IO_PIECES];
		int err = hd_rt_io_wait_to_call(me, fd, HD_FD_PIPE, POLLOUT);
		ssize_t r;

		if (err)
			return done ? (ssize_t)done : hd_rt_fail(err);
		r = HD_REAL(writev)(fd, part, hd_rt_io_vector_part(part, iov, n, done, PIPE_BUF));
		if (r < 0)
			return done ? (ssize_t)done : r;
		done += (size_t)r;
		hd_rt_progress();
	}
	return (ssize_t)done;
}

/* Send @msg, waiting as a blocking socket does. */
ssize_t hd_rt_io_send_all(struct fiber *me, int fd, const struct msghdr *msg, int flags)
{
	size_t done = 0, total = hd_rt_io_vector_bytes(msg->msg_iov, (int)msg->msg_iovlen);
	uint64_t deadline = hd_rt_io_socket_deadline(fd, SO_SNDTIMEO);

	do {
		struct msghdr part = *msg;
		struct iovec iov[HD_IO_PIECES];
		ssize_t r;
		int err;

		if (done || msg->msg_iovlen > HD_IO_PIECES) {
			part.msg_iov = iov;
			part.msg_iovlen = (size_t)hd_rt_io_vector_part(
				iov, msg->msg_iov, (int)msg->msg_iovlen, done, total);
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
void hd_rt_io_begin_write(int fd, enum hd_fd_kind kind, const struct iovec *iov, int n)
{
	vector_range(iov, n, SIZE_MAX, false);
	hd_rt_common_file(fd);
	hd_rt_fd_release(fd, kind);
}

static ssize_t write_vector(struct fiber *me, int fd, const struct iovec *iov, int n)
{
	enum hd_fd_kind kind = hd_rt_fd_kind(fd);
	struct msghdr msg = { .msg_iov = (struct iovec *)iov, .msg_iovlen = (size_t)n };
	size_t total = hd_rt_io_vector_bytes(iov, n);
	int err;

	hd_rt_output_point(fd);
	hd_rt_io_begin_write(fd, kind, iov, n);
	if (total && n <= IOV_MAX && (kind == HD_FD_PIPE || kind == HD_FD_SOCKET) &&
	    !hd_rt_io_is_nonblocking(fd))
		return kind == HD_FD_PIPE ? write_pipe(me, fd, iov, n, total)
					  : hd_rt_io_send_all(me, fd, &msg, 0);
	err = hd_rt_io_wait_to_call(me, fd, kind, POLLOUT);
	if (err)
		return hd_rt_fail(err);
	hd_rt_progress();
	return HD_REAL(writev)(fd, iov, n);
}

HD_EXPORT ssize_t write(int fd, const void *buf, size_t count)
{
	struct fiber *me = hd_rt_enter_cancellable(HD_CALLER);
	struct iovec iov = { (void *)buf, count };

	return me ? write_vector(me, fd, &iov, 1) : HD_REAL(write)(fd, buf, count);
}

HD_EXPORT ssize_t writev(int fd, const struct iovec *iov, int n)
{
	struct fiber *me = hd_rt_enter_cancellable(HD_CALLER);

	return me && n > 0 ? write_vector(me, fd, iov, n) : HD_REAL(writev)(fd, iov, n);
}

#define PWRITE(name, offset_t)                                                                     \
	HD_EXPORT ssize_t name(int fd, const void *buf, size_t count, offset_t at)                 \
	{                                                                                          \
		struct iovec iov = { (void *)buf, count };                                         \
                                                                                                   \
		if (hd_rt_enter_cancellable(HD_CALLER))                                            \
			hd_rt_io_begin_write(fd, HD_FD_FILE, &iov, 1);                             \
		return HD_REAL(name)(fd, buf, count, at);                                          \
	}
PWRITE(pwrite, off_t)
PWRITE(pwrite64, off64_t)

#define PWRITEV(name, offset_t)                                                                    \
	HD_EXPORT ssize_t name(int fd, const struct iovec *iov, int n, offset_t at)                \
	{                                                                                          \
		if (hd_rt_enter_cancellable(HD_CALLER))                                            \
			hd_rt_io_begin_write(fd, HD_FD_FILE, iov, n);                              \
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
		struct fiber *me = hd_rt_enter_cancellable(HD_CALLER);                             \
		enum hd_fd_kind kind;                                                              \
		int err;                                                                           \
                                                                                                   \
		if (!me)                                                                           \
			return HD_REAL(name)(out, in, at, count);                                  \
		kind = hd_rt_fd_kind(out);                                                         \
		hd_rt_fd_release(out, kind);                                                       \
		err = hd_rt_io_wait_to_call(me, out, kind, POLLOUT);                               \
		if (err)                                                                           \
			return hd_rt_fail(err);                                                    \
		hd_rt_progress();                                                                  \
		hd_rt_common_file(in);                                                             \
		hd_rt_common_file(out);                                                            \
		if (kind != HD_FD_FILE && count > PIPE_BUF)                                        \
			count = PIPE_BUF;                                                          \
		return HD_REAL(name)(out, in, at, count);                                          \
	}
SENDFILE(sendfile, off_t)
SENDFILE(sendfile64, off64_t)

HD_EXPORT ssize_t splice(int in, off64_t *in_at, int out, off64_t *out_at, size_t count,
			 unsigned int flags)
{
	struct fiber *me = hd_rt_enter_cancellable(HD_CALLER);
	enum hd_fd_kind from, to;
	int err;

	if (!me || (flags & SPLICE_F_NONBLOCK))
		return HD_REAL(splice)(in, in_at, out, out_at, count, flags);
	from = hd_rt_fd_kind(in);
	to = hd_rt_fd_kind(out);
	err = hd_rt_io_wait_to_call(me, in, from, POLLIN);
	if (!err)
		err = hd_rt_io_wait_to_call(me, out, to, POLLOUT);
	if (err)
		return hd_rt_fail(err);
	hd_rt_fd_acquire(in, from);
	hd_rt_fd_release(out, to);
	hd_rt_progress();
	if (count > PIPE_BUF)
		count = PIPE_BUF;
	return HD_REAL(splice)(in, in_at, out, out_at, count, flags);
}
