/*
 * Sockets; see io.c.
 */
#include <sys/file.h>

#include "io.h"
#include "runtime/memory/arena.h"
#include "runtime/real.h"
#include "runtime/rt.h"
#include "runtime/sys.h"

/* ---- sockets ----------------------------------------------------------- */

static ssize_t send_message(struct fiber *me, int fd, const struct msghdr *msg, int flags)
{
	hd_rt_io_begin_write(fd, HD_FD_SOCKET, msg->msg_iov, (int)msg->msg_iovlen);
	if ((flags & MSG_DONTWAIT) || hd_rt_io_is_nonblocking(fd))
		return HD_REAL(sendmsg)(fd, msg, flags);
	return hd_rt_io_send_all(me, fd, msg, flags);
}

HD_EXPORT ssize_t sendmsg(int fd, const struct msghdr *msg, int flags)
{
	struct fiber *me = hd_rt_enter_cancellable(HD_CALLER);

	return me ? send_message(me, fd, msg, flags) : HD_REAL(sendmsg)(fd, msg, flags);
}

HD_EXPORT ssize_t sendto(int fd, const void *buf, size_t count, int flags, __CONST_SOCKADDR_ARG to,
			 socklen_t to_len)
{
	struct fiber *me = hd_rt_enter_cancellable(HD_CALLER);
	struct iovec iov = { (void *)buf, count };
	struct msghdr msg = { .msg_name = (void *)to.__sockaddr__,
			      .msg_namelen = to_len,
			      .msg_iov = &iov,
			      .msg_iovlen = 1 };

	return me ? send_message(me, fd, &msg, flags)
		  : HD_REAL(sendto)(fd, buf, count, flags, to, to_len);
}

HD_EXPORT ssize_t send(int fd, const void *buf, size_t count, int flags)
{
	struct fiber *me = hd_rt_enter_cancellable(HD_CALLER);
	struct iovec iov = { (void *)buf, count };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1 };

	return me ? send_message(me, fd, &msg, flags) : HD_REAL(send)(fd, buf, count, flags);
}

HD_EXPORT int sendmmsg(int fd, struct mmsghdr *msgs, unsigned int n, int flags)
{
	struct fiber *me = hd_rt_enter_cancellable(HD_CALLER);
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
	return hd_rt_io_wait_to_call(me, fd, HD_FD_SOCKET, POLLIN);
}

/* MSG_WAITALL: until the whole buffer is full, the stream ends or somebody interrupts. */
static ssize_t receive_all(struct fiber *me, int fd, struct msghdr *msg, int flags)
{
	size_t done = 0, total = hd_rt_io_vector_bytes(msg->msg_iov, (int)msg->msg_iovlen);

	do {
		struct msghdr part = *msg;
		struct iovec iov[HD_IO_PIECES];
		int err = wait_to_receive(me, fd, flags);
		ssize_t r;

		if (err)
			return done ? (ssize_t)done : hd_rt_fail(err);
		part.msg_iov = iov;
		part.msg_iovlen = (size_t)hd_rt_io_vector_part(iov, msg->msg_iov,
							       (int)msg->msg_iovlen, done, total);
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
	return hd_rt_io_end_read(fd, HD_FD_SOCKET, msg->msg_iov, (int)msg->msg_iovlen, r);
}

HD_EXPORT ssize_t recvmsg(int fd, struct msghdr *msg, int flags)
{
	struct fiber *me = hd_rt_enter_cancellable(HD_CALLER);

	return me ? receive_message(me, fd, msg, flags) : HD_REAL(recvmsg)(fd, msg, flags);
}

HD_EXPORT ssize_t recv(int fd, void *buf, size_t count, int flags)
{
	struct fiber *me = hd_rt_enter_cancellable(HD_CALLER);
	struct iovec iov = { buf, count };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1 };

	return me ? receive_message(me, fd, &msg, flags) : HD_REAL(recv)(fd, buf, count, flags);
}

/* An address was put at @to, which has @room bytes; its length is in @len. */
static void told_address(__SOCKADDR_ARG to, socklen_t room, socklen_t *len)
{
	if (!to.__sockaddr__ || !len)
		return;
	hd_rt_range_done(to.__sockaddr__, *len < room ? *len : room);
	hd_rt_range_done(len, sizeof(*len));
}

static socklen_t room_for_address(const socklen_t *len)
{
	hd_rt_settle();
	return len ? *len : 0;
}

HD_EXPORT ssize_t recvfrom(int fd, void *restrict buf, size_t count, int flags, __SOCKADDR_ARG from,
			   socklen_t *restrict from_len)
{
	struct fiber *me = hd_rt_enter_cancellable(HD_CALLER);
	struct iovec iov = { buf, count };
	socklen_t room;
	ssize_t got;
	int err;

	if (!me)
		return HD_REAL(recvfrom)(fd, buf, count, flags, from, from_len);
	err = wait_to_receive(me, fd, flags);
	if (err)
		return hd_rt_fail(err);
	room = room_for_address(from_len);
	got = HD_REAL(recvfrom)(fd, buf, count, flags & ~MSG_WAITALL, from, from_len);
	if (got >= 0)
		told_address(from, room, from_len);
	return hd_rt_io_end_read(fd, HD_FD_SOCKET, &iov, 1, got);
}

HD_EXPORT int recvmmsg(int fd, struct mmsghdr *msgs, unsigned int n, int flags,
		       struct timespec *timeout)
{
	struct fiber *me = hd_rt_enter_cancellable(HD_CALLER);
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
		hd_rt_io_end_read(fd, HD_FD_SOCKET, msgs[i].msg_hdr.msg_iov,
				  (int)msgs[i].msg_hdr.msg_iovlen, (ssize_t)msgs[i].msg_len);
	return r;
}

HD_EXPORT int accept4(int fd, __SOCKADDR_ARG addr, socklen_t *restrict len, int flags)
{
	struct fiber *me = hd_rt_enter_cancellable(HD_CALLER);
	socklen_t room;
	int err;

	if (!me)
		return HD_REAL(accept4)(fd, addr, len, flags);
	err = hd_rt_io_wait_to_call(me, fd, HD_FD_SOCKET, POLLIN);
	if (err)
		return hd_rt_fail(err);
	hd_rt_progress();
	hd_rt_fd_acquire(fd, HD_FD_SOCKET);
	room = room_for_address(len);
	fd = HD_REAL(accept4)(fd, addr, len, flags);
	if (fd >= 0)
		told_address(addr, room, len);
	return fd;
}

HD_EXPORT int accept(int fd, __SOCKADDR_ARG addr, socklen_t *restrict len)
{
	struct fiber *me = hd_rt_enter_cancellable(HD_CALLER);
	socklen_t room;
	int err;

	if (!me)
		return HD_REAL(accept)(fd, addr, len);
	err = hd_rt_io_wait_to_call(me, fd, HD_FD_SOCKET, POLLIN);
	if (err)
		return hd_rt_fail(err);
	hd_rt_progress();
	hd_rt_fd_acquire(fd, HD_FD_SOCKET);
	room = room_for_address(len);
	fd = HD_REAL(accept)(fd, addr, len);
	if (fd >= 0)
		told_address(addr, room, len);
	return fd;
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
	struct fiber *me = hd_rt_enter_cancellable(HD_CALLER);
	int err;

	if (!me || hd_rt_io_is_nonblocking(fd))
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
