/*
 * A handler runs on the thread that the signal was sent to, and on a thread that does not
 * block it when it was sent to the process; raise returns after its handler.
 *
 * RUN: run --seed 1..20
 * EXPECT: clean
 */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

static _Thread_local volatile sig_atomic_t handled;
static sem_t go;

static void on_signal(int sig)
{
	handled = sig;
}

static void *directed(void *arg)
{
	sigset_t set;

	/* SIGUSR2 is for the other one. */
	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	while (!handled)
		sem_wait(&go);
	assert(handled == SIGUSR1);
	return NULL;
}

static void *of_process(void *arg)
{
	while (!handled)
		sem_wait(&go);
	assert(handled == SIGUSR2);
	return NULL;
}

int main(void)
{
	struct sigaction act;
	pthread_t a, b;
	sigset_t set;

	sem_init(&go, 0, 0);
	memset(&act, 0, sizeof(act));
	act.sa_handler = on_signal;
	sigaction(SIGUSR1, &act, NULL);
	sigaction(SIGUSR2, &act, NULL);

	assert(raise(SIGUSR1) == 0);
	assert(handled == SIGUSR1);
	handled = 0;

	pthread_create(&a, NULL, directed, NULL);
	pthread_create(&b, NULL, of_process, NULL);
	/* Time passes only when nobody can run, so both wait then. */
	sleep(1);
	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	assert(pthread_kill(a, SIGUSR1) == 0);
	assert(kill(getpid(), SIGUSR2) == 0);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	assert(handled == 0);
	assert(pthread_kill(pthread_self(), 0) == 0);
	assert(pthread_kill(pthread_self(), 1000) == EINVAL);
	return 0;
}
