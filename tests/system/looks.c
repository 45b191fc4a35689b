/*
 * Main looks once whether another thread has written to a descriptor, in the way that the first argument
 * names; "wait" as the second lets it wait for a while. It relies on not being late ("early") or on being late
 * ("late"): both are wrong. With "good" it relies on neither.
 */
#include <assert.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/select.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <unistd.h>

static int event, ends[2], by_signal;

static void *write_it(void *arg)
{
	uint64_t one = 1;

	if (by_signal)
		assert(kill(getpid(), SIGUSR1) == 0);
	else
		assert(write(event, &one, sizeof(one)) == sizeof(one));
	return NULL;
}

static int look(const char *how, int ms)
{
	struct signalfd_siginfo info;
	struct pollfd p = {.fd = event, .events = POLLIN};
	struct epoll_event what = {.events = EPOLLIN}, got;
	struct timeval time = {.tv_usec = ms * 1000};
	fd_set set;
	int ep;

	if (!strcmp(how, "read") || !strcmp(how, "signal"))
		return read(event, &info, sizeof(info)) > 0;
	if (!strcmp(how, "recv"))
		return recv(event == ends[1] ? ends[0] : event, &info, sizeof(info), MSG_DONTWAIT) > 0;
	if (!strcmp(how, "select")) {
		FD_ZERO(&set);
		FD_SET(event, &set);
		return select(event + 1, &set, NULL, NULL, &time);
	}
	if (!strcmp(how, "epoll")) {
		ep = epoll_create1(0);
		assert(epoll_ctl(ep, EPOLL_CTL_ADD, event, &what) == 0);
		return epoll_wait(ep, &got, 1, ms);
	}
	return poll(&p, 1, ms);
}

int main(int argc, char **argv)
{
	const char *how = argv[1], *relies_on = argv[3];
	int ms = strcmp(argv[2], "wait") ? 0 : 1, seen;
	sigset_t set;
	pthread_t t;

	assert(argc == 4);
	by_signal = strstr(how, "signal") != NULL;
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	event = by_signal ? signalfd(-1, &set, SFD_NONBLOCK) : eventfd(0, EFD_NONBLOCK);
	if (!strcmp(how, "recv")) {
		assert(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
		event = ends[1];
	}
	pthread_create(&t, NULL, write_it, NULL);
	seen = look(how, ms);
	assert(strcmp(relies_on, "early") || !seen);
	assert(strcmp(relies_on, "late") || seen);
	pthread_join(t, NULL);
	return 0;
}
