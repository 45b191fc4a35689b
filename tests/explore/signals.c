/*
 * Signals between threads: a handler runs before, between or after the steps of the thread that is sent one.
 * test_signals.py says which ends each case has.
 */
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int steps;
int seen = -1, seen_too = -1; /* not static, so that they stay */
static int inside;
static pthread_t target;

static void note(int sig)
{
	if (sig == SIGUSR1)
		seen = atomic_load(&steps);
	else
		seen_too = atomic_load(&steps);
}

static void take_lock(int sig)
{
	pthread_mutex_lock(&lock);
	inside++;
	pthread_mutex_unlock(&lock);
}

static void handle(int sig, void (*handler)(int))
{
	struct sigaction act = { .sa_handler = handler };

	sigaction(sig, &act, NULL);
}

static void *work(void *arg)
{
	atomic_fetch_add(&steps, 1);
	atomic_fetch_add(&steps, 1);
	sched_yield();
	return arg;
}

static void mask(int how, int sig)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, sig);
	pthread_sigmask(how, &set, NULL);
}

/* Between its steps nothing comes. */
static void *work_masked(void *arg)
{
	mask(SIG_BLOCK, SIGUSR1);
	atomic_fetch_add(&steps, 1);
	atomic_fetch_add(&steps, 1);
	mask(SIG_UNBLOCK, SIGUSR1);
	sched_yield();
	return arg;
}

static void *work_locked(void *arg)
{
	pthread_mutex_lock(&lock);
	inside++;
	pthread_mutex_unlock(&lock);
	return arg;
}

/* The handler cannot come while the lock is held. */
static void *work_locked_masked(void *arg)
{
	mask(SIG_BLOCK, SIGUSR1);
	work_locked(arg);
	mask(SIG_UNBLOCK, SIGUSR1);
	return arg;
}

static void *send(void *arg)
{
	pthread_kill(target, SIGUSR1);
	if (arg)
		pthread_kill(target, SIGUSR2);
	return NULL;
}

/* To the process: main takes it, or the other thread, unless that one was begun with the signal blocked. */
static int send_to_process(int masked)
{
	pthread_t t;

	handle(SIGUSR1, note);
	if (masked)
		mask(SIG_BLOCK, SIGUSR1);
	pthread_create(&t, NULL, work, NULL);
	if (masked)
		mask(SIG_UNBLOCK, SIGUSR1);
	kill(getpid(), SIGUSR1);
	pthread_join(t, NULL);
	return 0;
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "";
	void *(*does)(void *) = strstr(how, "locked-masked") ? work_locked_masked
				: strstr(how, "locked")	     ? work_locked
				: strstr(how, "masked")	     ? work_masked
							     : work;
	pthread_t sender;

	if (strstr(how, "process"))
		return send_to_process(strstr(how, "masked") != NULL);
	handle(SIGUSR1, strstr(how, "locked") ? take_lock : note);
	handle(SIGUSR2, note);
	pthread_create(&target, NULL, does, NULL);
	pthread_create(&sender, NULL, send, strstr(how, "both") ? &sender : NULL);
	pthread_join(sender, NULL);
	pthread_join(target, NULL);
	return 0;
}
