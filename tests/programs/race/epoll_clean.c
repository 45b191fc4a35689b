/*
 * A thread hears from epoll that something was written, and then reads what the
 * writer prepared before.
 *
 * RUN: run --seed 1..20
 * EXPECT: clean
 */
#include <sys/epoll.h>

#include "../program.h"

static int data, ends[2];

static void *produce(void *arg)
{
	data = 42;
	assert(write(ends[1], "x", 1) == 1);
	return NULL;
}

int main(void)
{
	struct epoll_event what = { .events = EPOLLIN }, got;
	int ep = epoll_create1(0);
	pthread_t t;

	assert(pipe(ends) == 0);
	assert(epoll_ctl(ep, EPOLL_CTL_ADD, ends[0], &what) == 0);
	t = start(produce, NULL);
	assert(epoll_wait(ep, &got, 1, -1) == 1);
	assert(data == 42);
	finish(t);
	return 0;
}
