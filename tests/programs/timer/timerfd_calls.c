/*
 * What the calls of a timerfd return, one after the other. Natively it is the same: no answer depends
 * on how fast the machine is.
 *
 * RUN: run --seed 1..5
 * EXPECT: clean
 * RUN: run --policy rr
 * EXPECT: clean
 * RUN: run --switch-at accesses --seed 1..5
 * EXPECT: clean
 */
#include <fcntl.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/timerfd.h>
#include <sys/uio.h>

#include "../program.h"

static struct itimerspec after(int64_t ns, int64_t interval)
{
	return (struct itimerspec){.it_value = at_ns(ns), .it_interval = at_ns(interval)};
}

static uint64_t expirations(int fd)
{
	uint64_t n = 0;

	assert(read(fd, &n, sizeof(n)) == sizeof(n));
	return n;
}

static int events_of(int fd, short events)
{
	struct pollfd p = {.fd = fd, .events = events};

	return poll(&p, 1, 0) ? p.revents : 0;
}

static void wrong_calls(void)
{
	struct itimerspec bad = after(1, 0), good = after(1, 0);
	char few[4];
	int fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
	uint64_t n = 1;

	assert(timerfd_create(CLOCK_MONOTONIC, 1 << 30) == -1 && errno == EINVAL);
	assert(timerfd_create(12345, 0) == -1 && errno == EINVAL);
	bad.it_value.tv_nsec = NS_PER_S;
	assert(timerfd_settime(fd, 0, &bad, NULL) == -1 && errno == EINVAL);
	assert(timerfd_settime(fd, 1 << 30, &good, NULL) == -1 && errno == EINVAL);
	assert(timerfd_settime(-1, 0, &good, NULL) == -1 && errno == EBADF);
	assert(timerfd_gettime(0, &good) == -1 && errno == EINVAL);
	assert(write(fd, &n, sizeof(n)) == -1 && errno == EINVAL);
	assert(read(fd, few, sizeof(few)) == -1 && errno == EINVAL);
	assert(read(fd, &n, sizeof(n)) == -1 && errno == EAGAIN);
	assert(events_of(fd, POLLIN | POLLOUT) == 0);
	assert(fcntl(fd, F_GETFD) == FD_CLOEXEC && (fcntl(fd, F_GETFL) & O_NONBLOCK));
	assert(close(fd) == 0);
	assert(timerfd_settime(fd, 0, &good, NULL) == -1 && errno == EBADF);
}

static void once(clockid_t clock)
{
	struct itimerspec soon = after(1000000, 0), never = after(0, 0), left;
	int fd = timerfd_create(clock, 0);

	assert(timerfd_settime(fd, 0, &soon, &left) == 0);
	assert(!left.it_value.tv_sec && !left.it_value.tv_nsec);
	assert(expirations(fd) == 1); /* waits */
	assert(timerfd_gettime(fd, &left) == 0 && !left.it_value.tv_sec && !left.it_value.tv_nsec);
	/* What nobody has read is gone when it is set anew. */
	assert(timerfd_settime(fd, 0, &soon, NULL) == 0);
	assert(poll(&(struct pollfd){.fd = fd, .events = POLLIN}, 1, -1) == 1);
	assert(events_of(fd, POLLIN | POLLOUT) == POLLIN);
	assert(timerfd_settime(fd, 0, &never, NULL) == 0 && events_of(fd, POLLIN) == 0);
	close(fd);
}

/* The hour before last it was due first. */
static void missed(clockid_t clock)
{
	struct itimerspec past = {.it_value = at_ns(now_ns(clock) - 250 * NS_PER_S),
				  .it_interval = at_ns(100 * NS_PER_S)}, left;
	int fd = timerfd_create(clock, TFD_NONBLOCK);
	uint64_t n;

	assert(timerfd_settime(fd, TFD_TIMER_ABSTIME, &past, NULL) == 0);
	assert(poll(&(struct pollfd){.fd = fd, .events = POLLIN}, 1, -1) == 1);
	assert(expirations(fd) == 3 && read(fd, &n, sizeof(n)) == -1 && errno == EAGAIN);
	assert(timerfd_gettime(fd, &left) == 0 && left.it_interval.tv_sec == 100);
	assert(left.it_value.tv_sec == 49);
	close(fd);
}

/* Two numbers for one timer. */
static void copies(void)
{
	struct itimerspec soon = after(1000000, 0);
	int fd = timerfd_create(CLOCK_MONOTONIC, 0), other = dup(fd), far;
	char a[3], b[5];
	struct iovec pieces[2] = {{a, 3}, {b, 5}};

	assert(other >= 0 && timerfd_settime(fd, 0, &soon, NULL) == 0 && close(fd) == 0);
	assert(expirations(other) == 1);
	far = fcntl(other, F_DUPFD, 1500);
	if (far < 0) /* so many are not allowed here */
		far = fcntl(other, F_DUPFD, 100);
	assert(timerfd_settime(far, 0, &soon, NULL) == 0);
	assert(dup2(far, other) == other && close(far) == 0);
	assert(readv(other, pieces, 2) == 8 && a[0] == 1 && !a[1] && !b[4]);
	close(other);
}

static void other_ways_to_wait(void)
{
	struct itimerspec soon = after(1000000, 0);
	int fd = timerfd_create(CLOCK_BOOTTIME, TFD_NONBLOCK), ep = epoll_create1(0);
	struct epoll_event what = {.events = EPOLLIN | EPOLLOUT, .data.fd = fd}, got;
	fd_set set;

	assert(timerfd_settime(fd, 0, &soon, NULL) == 0);
	FD_ZERO(&set);
	FD_SET(fd, &set);
	assert(select(fd + 1, &set, NULL, NULL, NULL) == 1 && FD_ISSET(fd, &set));
	assert(expirations(fd) == 1);
	assert(epoll_ctl(ep, EPOLL_CTL_ADD, fd, &what) == 0);
	assert(epoll_wait(ep, &got, 1, 0) == 0);
	assert(timerfd_settime(fd, 0, &soon, NULL) == 0);
	assert(epoll_wait(ep, &got, 1, -1) == 1 && got.data.fd == fd && got.events == EPOLLIN);
	assert(epoll_wait(ep, &got, 1, 0) == 1); /* nobody has read it */
	assert(expirations(fd) == 1 && epoll_wait(ep, &got, 1, 0) == 0);
	close(ep);
	close(fd);
}

int main(void)
{
	wrong_calls();
	once(CLOCK_MONOTONIC);
	once(CLOCK_REALTIME);
	missed(CLOCK_REALTIME);
	missed(CLOCK_MONOTONIC);
	copies();
	other_ways_to_wait();
	return 0;
}
