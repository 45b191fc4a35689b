/*
 * epoll_deadlock with a way out: the wait has an end. It comes in virtual time, for nobody outside
 * could have made these descriptors ready before. Numbers that are closed are not those descriptors any more.
 *
 * RUN: run --seed 1..10
 * EXPECT: clean
 */
#include <sys/epoll.h>
#include <sys/eventfd.h>

#include "../program.h"

static void *loop(void *arg)
{
	int ep = epoll_create1(0), event = eventfd(0, 0), ends[2];
	struct epoll_event what = {.events = EPOLLIN}, got;
	int64_t began = now_ns(CLOCK_MONOTONIC);
	uint64_t n;

	assert(epoll_ctl(ep, EPOLL_CTL_ADD, event, &what) == 0);
	for (int i = 0; i < 3; i++)
		assert(epoll_wait(ep, &got, 1, 1000 * 1000) == 0);
	assert((now_ns(CLOCK_MONOTONIC) - began) / NS_PER_S == 3000);
	assert(eventfd_write(event, 2) == 0 && epoll_wait(ep, &got, 1, -1) == 1);
	assert(pipe(ends) == 0 && dup2(ends[0], event) == event);
	assert(write(ends[1], "12345678", 8) == 8 && read(event, &n, sizeof(n)) == sizeof(n));
	assert(n == 0x3837363534333231);
	return NULL;
}

int main(void)
{
	finish(start(loop, NULL));
	return 0;
}
