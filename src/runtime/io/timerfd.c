/*
 * Timers that are read: timerfd_create and relatives, in virtual time.
 *
 * Underneath is a descriptor of the kernel's, which is made readable when the timer expires. So
 * reads wait, and poll, select and epoll tell, as for every other descriptor; only the number that
 * a read gives comes from here.
 */
#include <sys/timerfd.h>

#include "io.h"
#include "runtime/memory/arena.h"
#include "runtime/real.h"
#include "runtime/rt.h"
#include "runtime/time/timers.h"

struct timerfd {
	struct hd_descriptor d; /* first */
	struct hd_timer timer;
	clockid_t clock;
	uint64_t ticks; /* expirations that nobody has read */
};

static struct timerfd *of_timer(struct hd_timer *t)
{
	return (struct timerfd *)((char *)t - offsetof(struct timerfd, timer));
}

static struct timerfd *find(int fd)
{
	return (struct timerfd *)hd_rt_fd_find(fd, HD_FD_TIMER);
}

static void expired(struct hd_timer *t, uint64_t n)
{
	struct timerfd *self = of_timer(t);

	self->ticks += n;
	hd_rt_fd_show(&self->d, true);
}

static void closed(struct hd_descriptor *d)
{
	hd_rt_timer_arm(&((struct timerfd *)d)->timer, HD_NEVER, 0);
}

HD_EXPORT int timerfd_create(clockid_t clock, int flags)
{
	int fd = HD_REAL(timerfd_create)(clock, flags);
	struct timerfd *self;

	if (fd < 0 || !hd_rt_enter(HD_CALLER))
		return fd;
	self = (struct timerfd *)hd_rt_fd_model(fd, HD_FD_TIMER, sizeof(*self));
	self->d.timer = &self->timer;
	self->d.closed = closed;
	self->timer = (struct hd_timer){ .due = HD_NEVER, .expired = expired };
	self->clock = clock;
	return fd;
}

HD_EXPORT int timerfd_settime(int fd, int flags, const struct itimerspec *new,
			      struct itimerspec *old)
{
	struct timerfd *self = hd_rt_io_begin_plain(HD_CALLER) ? find(fd) : NULL;

	if (!self)
		return HD_REAL(timerfd_settime)(fd, flags, new, old);
	/* Nobody sets the virtual clock, so nothing is ever cancelled by that. */
	if ((flags & ~(TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET)) || !hd_rt_timer_valid(new))
		return hd_rt_fail(EINVAL);
	hd_rt_fd_release(fd, HD_FD_TIMER);
	if (old)
		hd_rt_timer_show(&self->timer, old);
	self->ticks = 0;
	hd_rt_fd_show(&self->d, false);
	hd_rt_timer_set(&self->timer, self->clock, flags & TFD_TIMER_ABSTIME, new);
	hd_rt_progress();
	hd_rt_io_look_again();
	return 0;
}

HD_EXPORT int timerfd_gettime(int fd, struct itimerspec *out)
{
	struct timerfd *self = hd_rt_io_begin_plain(HD_CALLER) ? find(fd) : NULL;

	if (!self)
		return HD_REAL(timerfd_gettime)(fd, out);
	hd_rt_timer_show(&self->timer, out);
	return 0;
}

ssize_t hd_rt_timerfd_read(int fd, const struct iovec *iov, int n, ssize_t got)
{
	struct timerfd *self = find(fd);

	/* Somebody may have closed it meanwhile, or another process have shown it ready. */
	if (!self || !self->ticks || got != sizeof(self->ticks))
		return got;
	hd_rt_io_vector_store(iov, n, 0, &self->ticks, sizeof(self->ticks));
	self->ticks = 0;
	return got;
}
