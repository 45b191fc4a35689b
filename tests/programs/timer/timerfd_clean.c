/*
 * timerfd_race without its error: everything is written before the timer is set.
 *
 * RUN: run --seed 1..20
 * EXPECT: clean
 * RUN: run --switch-at accesses --seed 1..20
 * EXPECT: clean
 */
#include <sys/epoll.h>
#include <sys/timerfd.h>

#include "../program.h"

static int early, timer;

static void *wait_for_it(void *arg)
{
	uint64_t n;

	assert(read(timer, &n, sizeof(n)) == sizeof(n));
	assert(early == 1);
	return NULL;
}

static void *hear_of_it(void *arg)
{
	struct epoll_event what = {.events = EPOLLIN}, got;
	int ep = epoll_create1(0);
	uint64_t n;

	assert(epoll_ctl(ep, EPOLL_CTL_ADD, timer, &what) == 0);
	assert(epoll_wait(ep, &got, 1, -1) == 1);
	assert(early == 1);
	assert(read(timer, &n, sizeof(n)) == sizeof(n));
	return NULL;
}

int main(void)
{
	struct itimerspec spec = {.it_value = at_ns(NS_PER_S)};
	pthread_t t;

	timer = timerfd_create(CLOCK_MONOTONIC, 0);
	t = start(hear_of_it, NULL);
	early = 1;
	timerfd_settime(timer, 0, &spec, NULL);
	finish(t);
	early = 0;
	t = start(wait_for_it, NULL);
	early = 1;
	timerfd_settime(timer, 0, &spec, NULL);
	finish(t);
	return 0;
}
