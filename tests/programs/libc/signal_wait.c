/*
 * A thread in sigwait gets what others send to it and to the process, once each; a blocked
 * signal stays pending and does not end the program.
 *
 * RUN: run --seed 1..20
 * EXPECT: clean
 */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

static sigset_t wanted;
static int seen[4];

static void *waiter(void *arg)
{
	for (int i = 0; i < 3; i++) {
		int sig = 0;

		assert(sigwait(&wanted, &sig) == 0);
		if (sig == SIGUSR1)
			seen[0]++;
		else if (sig == SIGTERM)
			seen[1]++;
		else if (sig == SIGUSR2)
			seen[2]++;
	}
	return NULL;
}

int main(void)
{
	struct timespec limit = {50, 0};
	siginfo_t info;
	sigset_t pending;
	pthread_t t;

	sigemptyset(&wanted);
	sigaddset(&wanted, SIGUSR1);
	sigaddset(&wanted, SIGUSR2);
	sigaddset(&wanted, SIGTERM);
	assert(pthread_sigmask(SIG_BLOCK, &wanted, NULL) == 0);
	pthread_create(&t, NULL, waiter, NULL);
	assert(pthread_kill(t, SIGUSR1) == 0);
	assert(kill(getpid(), SIGTERM) == 0);
	assert(kill(getpid(), SIGUSR2) == 0);
	pthread_join(t, NULL);
	assert(seen[0] == 1 && seen[1] == 1 && seen[2] == 1);

	/* To the process, while nobody waits: pending, then taken with what it carries. */
	assert(sigqueue(getpid(), SIGUSR2, (union sigval){.sival_int = 42}) == 0);
	assert(sigpending(&pending) == 0 && sigismember(&pending, SIGUSR2) == 1);
	assert(sigwaitinfo(&wanted, &info) == SIGUSR2);
	assert(info.si_code == SI_QUEUE && info.si_value.sival_int == 42);
	assert(info.si_pid == getpid());
	assert(sigpending(&pending) == 0 && sigismember(&pending, SIGUSR2) == 0);
	assert(sigtimedwait(&wanted, &info, &limit) == -1 && errno == EAGAIN);
	return 0;
}
