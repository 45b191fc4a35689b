/*
 * Threads that wait with poll, select, ppoll, pselect and epoll each see exactly the
 * descriptor that another thread made ready, and time-outs come at their virtual time.
 *
 * RUN: run --seed 1..20
 * EXPECT: clean
 */
#define _GNU_SOURCE
#include <assert.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/select.h>
#include <time.h>
#include <unistd.h>

#define WAYS 5

static int idle_pipe[2], busy_pipe[WAYS][2];

static void *with_poll(void *arg)
{
	struct pollfd p[3] = {{idle_pipe[0], POLLIN, 0}, {-1, POLLIN, 0}, {busy_pipe[0][0], POLLIN, 0}};

	assert(poll(p, 3, -1) == 1);
	assert(p[0].revents == 0 && p[1].revents == 0 && p[2].revents == POLLIN);
	return NULL;
}

static void *with_select(void *arg)
{
	int nfds = (idle_pipe[0] > busy_pipe[1][0] ? idle_pipe[0] : busy_pipe[1][0]) + 1;
	struct timeval tv = {100, 0};
	fd_set set;

	FD_ZERO(&set);
	FD_SET(idle_pipe[0], &set);
	FD_SET(busy_pipe[1][0], &set);
	assert(select(nfds, &set, NULL, NULL, &tv) == 1);
	assert(!FD_ISSET(idle_pipe[0], &set) && FD_ISSET(busy_pipe[1][0], &set));
	assert(tv.tv_sec < 100);
	return NULL;
}

static void *with_ppoll(void *arg)
{
	struct pollfd p[2] = {{idle_pipe[0], POLLIN, 0}, {busy_pipe[2][0], POLLIN, 0}};
	struct timespec ts = {100, 0};
	sigset_t none;

	sigemptyset(&none);
	assert(ppoll(p, 2, &ts, &none) == 1);
	assert(p[0].revents == 0 && p[1].revents == POLLIN);
	return NULL;
}

static void *with_pselect(void *arg)
{
	int nfds = (idle_pipe[0] > busy_pipe[3][0] ? idle_pipe[0] : busy_pipe[3][0]) + 1;
	fd_set set;

	FD_ZERO(&set);
	FD_SET(idle_pipe[0], &set);
	FD_SET(busy_pipe[3][0], &set);
	assert(pselect(nfds, &set, NULL, NULL, NULL, NULL) == 1);
	assert(!FD_ISSET(idle_pipe[0], &set) && FD_ISSET(busy_pipe[3][0], &set));
	return NULL;
}

static void *with_epoll(void *arg)
{
	struct epoll_event e = {.events = EPOLLIN}, got[4];
	int ep = epoll_create1(0);

	e.data.fd = idle_pipe[0];
	assert(epoll_ctl(ep, EPOLL_CTL_ADD, idle_pipe[0], &e) == 0);
	e.data.fd = busy_pipe[4][0];
	assert(epoll_ctl(ep, EPOLL_CTL_ADD, busy_pipe[4][0], &e) == 0);
	assert(epoll_wait(ep, got, 4, -1) == 1);
	assert(got[0].data.fd == busy_pipe[4][0] && got[0].events == EPOLLIN);
	close(ep);
	return NULL;
}

static void *feeder(void *arg)
{
	for (int i = WAYS; i-- > 0;) {
		usleep(1000);
		assert(write(busy_pipe[i][1], "x", 1) == 1);
	}
	return NULL;
}

static void *wait_for_event(void *arg)
{
	uint64_t n = 0;

	assert(read(*(int *)arg, &n, sizeof(n)) == sizeof(n));
	assert(n == 7);
	return NULL;
}

static void event_descriptor(void)
{
	uint64_t seven = 7;
	int fd = eventfd(0, 0);
	pthread_t t;

	pthread_create(&t, NULL, wait_for_event, &fd);
	assert(write(fd, &seven, sizeof(seven)) == sizeof(seven));
	pthread_join(t, NULL);
	close(fd);
}

static void time_outs(void)
{
	struct pollfd p = {idle_pipe[0], POLLIN, 0};
	struct timespec before, after;

	clock_gettime(CLOCK_MONOTONIC, &before);
	assert(poll(&p, 1, 500000) == 0);
	clock_gettime(CLOCK_MONOTONIC, &after);
	assert(after.tv_sec - before.tv_sec >= 500 && after.tv_sec - before.tv_sec <= 501);
}

int main(void)
{
	void *(*const way[WAYS])(void *) = {with_poll, with_select, with_ppoll, with_pselect,
					    with_epoll};
	pthread_t t[WAYS], f;

	assert(pipe(idle_pipe) == 0);
	for (int i = 0; i < WAYS; i++)
		assert(pipe(busy_pipe[i]) == 0);
	for (int i = 0; i < WAYS; i++)
		pthread_create(&t[i], NULL, way[i], NULL);
	pthread_create(&f, NULL, feeder, NULL);
	for (int i = 0; i < WAYS; i++)
		pthread_join(t[i], NULL);
	pthread_join(f, NULL);
	event_descriptor();
	time_outs();
	return 0;
}
