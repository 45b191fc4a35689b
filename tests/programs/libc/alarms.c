/*
 * alarm and setitimer count virtual time: SIGALRM comes between two sleeps of known length,
 * and an interval timer comes again and again.
 *
 * RUN: run --seed 1..20
 * EXPECT: clean
 */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t rings;

static void on_alarm(int sig)
{
	assert(sig == SIGALRM);
	rings++;
}

static void *other(void *arg)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGALRM);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	sleep(5000);
	return NULL;
}

static time_t seconds(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec;
}

int main(void)
{
	struct itimerval every = {{100, 0}, {50, 0}}, none = {{0, 0}, {0, 0}}, left;
	struct sigaction act;
	time_t began;
	pthread_t t;

	memset(&act, 0, sizeof(act));
	act.sa_handler = on_alarm;
	sigaction(SIGALRM, &act, NULL);
	pthread_create(&t, NULL, other, NULL);

	began = seconds();
	assert(alarm(1000) == 0);
	assert(alarm(600) == 1000);
	/* The sleep ends when the alarm comes. */
	assert(sleep(1000) == 400);
	assert(rings == 1 && seconds() - began == 600);

	assert(setitimer(ITIMER_REAL, &every, NULL) == 0);
	began = seconds();
	for (int i = 1; i <= 3; i++) {
		assert(pause() == -1 && errno == EINTR);
		assert(rings == 1 + i);
		assert(seconds() - began == 50 + 100 * (i - 1));
	}
	assert(setitimer(ITIMER_REAL, &none, &left) == 0);
	assert(left.it_interval.tv_sec == 100 && left.it_value.tv_sec <= 100);
	sleep(1000);
	assert(rings == 4);
	assert(alarm(10) == 0 && alarm(0) == 10);
	pthread_join(t, NULL);
	return 0;
}
