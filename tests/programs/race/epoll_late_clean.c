/*
 * What was written to a pipe before there was an epoll set is heard of by it nevertheless, and so is what
 * the writer prepared before.
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
	pthread_t t;
	int ep;

	assert(pipe(ends) == 0);
	t = start(produce, NULL);
	usleep(1000);
	ep = epoll_create1(0);
	assert(epoll_ctl(ep, EPOLL_CTL_ADD, ends[0], &what) == 0);
	assert(epoll_wait(ep, &got, 1, -1) == 1);
	assert(data == 42);
	finish(t);
	return 0;
}
