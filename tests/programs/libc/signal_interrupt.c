/*
 * A handler interrupts nanosleep with EINTR and tells the time that was left; a read goes on
 * after a handler with SA_RESTART, and fails with EINTR after one without.
 *
 * RUN: run --races no --seed 1..20
 * EXPECT: clean
 */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t ran;
static int fds[2];

static void on_signal(int sig)
{
	ran++;
}

static void install(int flags)
{
	struct sigaction act;

	memset(&act, 0, sizeof(act));
	act.sa_handler = on_signal;
	act.sa_flags = flags;
	assert(sigaction(SIGUSR1, &act, NULL) == 0);
}

static void *sleeper(void *arg)
{
	struct timespec ts = {1000, 0}, left = {0, 0};

	assert(nanosleep(&ts, &left) == -1 && errno == EINTR);
	assert(left.tv_sec == 899 || left.tv_sec == 900);
	return NULL;
}

static void *reader(void *arg)
{
	ssize_t expected = (ssize_t)(long)arg;
	char c;

	assert(read(fds[0], &c, 1) == expected);
	if (expected < 0)
		assert(errno == EINTR);
	return NULL;
}

/* Everybody else has gone to sleep or waits when a virtual sleep of ours is over. */
static void signal_when_waiting(pthread_t t)
{
	sleep(100);
	assert(pthread_kill(t, SIGUSR1) == 0);
}

int main(void)
{
	pthread_t t;

	assert(pipe(fds) == 0);
	install(0);
	pthread_create(&t, NULL, sleeper, NULL);
	signal_when_waiting(t);
	pthread_join(t, NULL);
	assert(ran == 1);

	pthread_create(&t, NULL, reader, (void *)-1L);
	signal_when_waiting(t);
	pthread_join(t, NULL);
	assert(ran == 2);

	install(SA_RESTART);
	pthread_create(&t, NULL, reader, (void *)1L);
	signal_when_waiting(t);
	sleep(1);
	assert(ran == 3);
	assert(write(fds[1], "x", 1) == 1);
	pthread_join(t, NULL);
	return 0;
}
