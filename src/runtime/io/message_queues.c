/*
 * Message queues: who sends happens before who then receives. A queue may be another process' as well, and outlives
 * an execution, so it counts as something outside.
 */
#include <errno.h>
#include <mqueue.h>
#include <poll.h>

#include "io.h"
#include "runtime/explore/explore.h"
#include "runtime/real.h"
#include "runtime/rt.h"

/* Wait until the real call does not block: 0 (make it) or an errno. */
static int wait_for_queue(struct fiber *me, mqd_t queue, short events, const struct timespec *until)
{
	int err;

	hd_rt_explore_uses(HD_X_USES_OUTSIDE);
	if (!until || hd_rt_io_is_nonblocking(queue))
		return hd_rt_io_wait_to_call(me, queue, HD_FD_OTHER, events);
	if (until->tv_nsec < 0 || until->tv_nsec >= 1000000000)
		return hd_rt_io_ready(queue, events) ? 0 : EINVAL;
	err = hd_rt_io_wait_fd(me, queue, events, hd_rt_deadline_abs(CLOCK_REALTIME, until));
	return err == EAGAIN ? ETIMEDOUT : err;
}

static ssize_t receive(struct fiber *me, mqd_t queue, char *buf, size_t room, unsigned *priority,
		       const struct timespec *until)
{
	struct iovec iov = { buf, room };
	int err = wait_for_queue(me, queue, POLLIN, until);
	ssize_t got;

	if (err)
		return hd_rt_fail(err);
	hd_rt_settle();
	got = HD_REAL(mq_receive)(queue, buf, room, priority);
	if (got >= 0 && priority)
		hd_rt_range_done(priority, sizeof(*priority));
	return hd_rt_io_end_read(queue, HD_FD_OTHER, &iov, 1, got);
}

HD_EXPORT ssize_t mq_receive(mqd_t queue, char *buf, size_t room, unsigned *priority)
{
	struct fiber *me = hd_rt_enter_cancellable(HD_CALLER);

	return me ? receive(me, queue, buf, room, priority, NULL)
		  : HD_REAL(mq_receive)(queue, buf, room, priority);
}

HD_EXPORT ssize_t mq_timedreceive(mqd_t queue, char *restrict buf, size_t room,
				  unsigned *restrict priority,
				  const struct timespec *restrict until)
{
	struct fiber *me = hd_rt_enter_cancellable(HD_CALLER);

	return me ? receive(me, queue, buf, room, priority, until)
		  : HD_REAL(mq_timedreceive)(queue, buf, room, priority, until);
}

static int send_to(struct fiber *me, mqd_t queue, const char *buf, size_t len, unsigned priority,
		   const struct timespec *until)
{
	struct iovec iov = { (void *)buf, len };
	int err = wait_for_queue(me, queue, POLLOUT, until);

	if (err)
		return (int)hd_rt_fail(err);
	hd_rt_io_begin_write(queue, HD_FD_OTHER, &iov, 1);
	hd_rt_settle();
	return HD_REAL(mq_send)(queue, buf, len, priority);
}

HD_EXPORT int mq_send(mqd_t queue, const char *buf, size_t len, unsigned priority)
{
	struct fiber *me = hd_rt_enter_cancellable(HD_CALLER);

	return me ? send_to(me, queue, buf, len, priority, NULL)
		  : HD_REAL(mq_send)(queue, buf, len, priority);
}

HD_EXPORT int mq_timedsend(mqd_t queue, const char *buf, size_t len, unsigned priority,
			   const struct timespec *until)
{
	struct fiber *me = hd_rt_enter_cancellable(HD_CALLER);

	return me ? send_to(me, queue, buf, len, priority, until)
		  : HD_REAL(mq_timedsend)(queue, buf, len, priority, until);
}
