/*
 * An event loop waits for descriptors that only its own threads can write to, and all of them wait. That
 * the descriptors have other numbers than those that they were made with makes no difference.
 *
 * RUN: run --seed 1..10
 * EXPECT: deadlock @loop @main
 */
#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>

#include "../program.h"

static void *loop(void *arg)
{
	int ep = epoll_create1(0), event = eventfd(0, 0), copy = dup(event), ends[2];
	struct epoll_event what = {.events = EPOLLIN}, got;

	assert(close(event) == 0 && pipe(ends) == 0);
	event = fcntl(copy, F_DUPFD, 100);
	assert(event >= 100 && dup2(event, copy) == copy && close(event) == 0);
	assert(epoll_ctl(ep, EPOLL_CTL_ADD, copy, &what) == 0);
	assert(epoll_ctl(ep, EPOLL_CTL_ADD, ends[0], &what) == 0);
	epoll_wait(dup(ep), &got, 1, -1);
	return NULL;
}

int main(void)
{
	finish(start(loop, NULL));
	return 0;
}
