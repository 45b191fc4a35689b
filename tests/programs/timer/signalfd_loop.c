/*
 * An event loop that gets its signals by a descriptor, from other threads and from a timer. Signals that
 * queue are all read, in order; what was written before one was sent is known to who reads it.
 *
 * RUN: run --seed 1..20
 * EXPECT: clean
 * RUN: run --policy pct --pct-length 1000 --seed 1..10
 * EXPECT: clean
 * RUN: run --switch-at accesses --seed 1..10
 * EXPECT: clean
 */
#include <poll.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>

#include "../program.h"

#define SENT 5

static int data[SENT];

static void *produce(void *arg)
{
	for (int i = 0; i < SENT; i++) {
		data[i] = i + 1;
		assert(sigqueue(getpid(), SIGRTMIN, (union sigval){.sival_int = i}) == 0);
	}
	return NULL;
}

static int got, ticked;

static void take(const struct signalfd_siginfo *info)
{
	if (info->ssi_signo == (uint32_t)SIGRTMIN) {
		assert(info->ssi_code == SI_QUEUE && info->ssi_int == got);
		assert(data[got] == got + 1);
		got++;
	} else {
		assert(info->ssi_signo == SIGUSR1 && info->ssi_code == SI_TIMER);
		ticked = 1;
	}
}

int main(void)
{
	struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1};
	struct itimerspec spec = {.it_value = at_ns(NS_PER_S)};
	struct epoll_event what = {.events = EPOLLIN}, heard;
	struct signalfd_siginfo info[3];
	int ep = epoll_create1(0), fd;
	timer_t timer;
	pthread_t t;
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGRTMIN);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	fd = signalfd(-1, &set, SFD_NONBLOCK);
	sigaddset(&set, SIGUSR1);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	assert(fd >= 0 && signalfd(fd, &set, 0) == fd);
	assert(epoll_ctl(ep, EPOLL_CTL_ADD, fd, &what) == 0);
	timer_create(CLOCK_MONOTONIC, &event, &timer);
	timer_settime(timer, 0, &spec, NULL);
	t = start(produce, NULL);
	while (got < SENT || !ticked) {
		ssize_t n;

		assert(epoll_wait(ep, &heard, 1, -1) == 1);
		n = read(fd, info, sizeof(info));
		assert(n > 0 && n % sizeof(info[0]) == 0);
		for (size_t i = 0; i < n / sizeof(info[0]); i++)
			take(&info[i]);
	}
	finish(t);
	assert(read(fd, info, sizeof(info)) == -1 && errno == EAGAIN);
	assert(epoll_wait(ep, &heard, 1, 0) == 0);
	return 0;
}
