/*
 * Each of two threads says by a signal that it is done. Signals of this kind do not queue, so main
 * hears of both only if it is quick.
 *
 * RUN: run
 * EXPECT: assertion @main within 50 seeds
 * EXIT: SIGABRT
 */
#include <signal.h>
#include <sys/signalfd.h>

#include "../program.h"

static void *work(void *arg)
{
	kill(getpid(), SIGUSR1);
	return NULL;
}

int main(void)
{
	struct signalfd_siginfo info;
	int fd, heard = 0;
	pthread_t t[2];
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	fd = signalfd(-1, &set, SFD_NONBLOCK);
	for (int i = 0; i < 2; i++)
		t[i] = start(work, NULL);
	finish(t[0]);
	heard += read(fd, &info, sizeof(info)) == sizeof(info);
	finish(t[1]);
	heard += read(fd, &info, sizeof(info)) == sizeof(info);
	assert(heard == 2);
	return 0;
}
