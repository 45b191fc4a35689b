/*
 * signalfd_merged without its error: real-time signals queue.
 *
 * RUN: run --seed 1..50
 * EXPECT: clean
 */
#include <signal.h>
#include <sys/signalfd.h>

#include "../program.h"

static void *work(void *arg)
{
	kill(getpid(), SIGRTMIN);
	return NULL;
}

int main(void)
{
	struct signalfd_siginfo info;
	int fd, heard = 0;
	pthread_t t[2];
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGRTMIN);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	fd = signalfd(-1, &set, SFD_NONBLOCK);
	for (int i = 0; i < 2; i++)
		t[i] = start(work, NULL);
	finish(t[0]);
	heard += read(fd, &info, sizeof(info)) == sizeof(info);
	finish(t[1]);
	heard += read(fd, &info, sizeof(info)) == sizeof(info);
	heard += read(fd, &info, sizeof(info)) == sizeof(info);
	assert(heard == 2);
	return 0;
}
