/*
 * An event loop: a timer that comes every second, one that comes once and is then set anew, and an
 * eventfd by which a worker says that it is done. It takes virtual hours, and no time.
 *
 * RUN: run --seed 1..20
 * EXPECT: clean
 * RUN: run --policy pct --pct-length 1000 --seed 1..10
 * EXPECT: clean
 * RUN: run --policy rr
 * EXPECT: clean
 */
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>

#include "../program.h"

#define ROUNDS 60

static int result, done;

static void *work(void *arg)
{
	sleep(ROUNDS * 60 + 30);
	result = 42;
	eventfd_write(done, 1);
	return NULL;
}

static int make_timer(int64_t first, int64_t interval)
{
	struct itimerspec spec = {.it_value = at_ns(first), .it_interval = at_ns(interval)};
	int fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK);

	assert(fd >= 0 && timerfd_settime(fd, 0, &spec, NULL) == 0);
	return fd;
}

static void add(int ep, int fd)
{
	struct epoll_event what = {.events = EPOLLIN, .data.fd = fd};

	assert(epoll_ctl(ep, EPOLL_CTL_ADD, fd, &what) == 0);
}

int main(void)
{
	int ep = epoll_create1(0), rounds = 0, single = 0;
	int every = make_timer(60 * NS_PER_S, 60 * NS_PER_S), once = make_timer(90 * NS_PER_S, 0);
	int64_t began = now_ns(CLOCK_MONOTONIC);
	struct epoll_event got[4];
	uint64_t n;
	pthread_t t;

	done = eventfd(0, EFD_NONBLOCK);
	add(ep, every);
	add(ep, once);
	add(ep, done);
	t = start(work, NULL);
	for (;;) {
		int ready = epoll_wait(ep, got, 4, -1), stop = 0;

		assert(ready > 0);
		for (int i = 0; i < ready; i++) {
			assert(read(got[i].data.fd, &n, sizeof(n)) == sizeof(n));
			if (got[i].data.fd == every)
				rounds += (int)n;
			else if (got[i].data.fd == once)
				single += (int)n;
			else
				stop = 1;
		}
		if (stop)
			break;
	}
	assert(result == 42 && rounds == ROUNDS && single == 1);
	assert((now_ns(CLOCK_MONOTONIC) - began) / NS_PER_S == ROUNDS * 60 + 30);
	finish(t);
	return 0;
}
