/*
 * A timer expires while main works. How is told by the first argument: thread (it calls a function),
 * descriptor (another thread reads it) or signal. By itself main is long done by then, and that is what it
 * relies on: the assertion fails if the timer is early. With "good", nobody relies on anything.
 */
#include <assert.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include <pthread.h>

static atomic_int done, good, expired;

static void check(void)
{
	assert(good || done);
	expired = 1;
}

static void on_timer(union sigval value)
{
	check();
}

static void on_signal(int sig)
{
	check();
}

static void *read_timer(void *arg)
{
	uint64_t n;

	assert(read(*(int *)arg, &n, sizeof(n)) == sizeof(n) && n == 1);
	check();
	return NULL;
}

static void work(void)
{
	done = 1;
}

static void by_thread(const struct itimerspec *when)
{
	struct sigevent event = {.sigev_notify = SIGEV_THREAD, .sigev_notify_function = on_timer};
	timer_t timer;

	assert(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0);
	assert(timer_settime(timer, 0, when, NULL) == 0);
	work();
}

static void by_descriptor(const struct itimerspec *when)
{
	int fd = timerfd_create(CLOCK_MONOTONIC, 0);
	pthread_t t;

	assert(pthread_create(&t, NULL, read_timer, &fd) == 0);
	assert(timerfd_settime(fd, 0, when, NULL) == 0);
	work();
	pthread_join(t, NULL);
}

static void by_signal(const struct itimerspec *when)
{
	struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1};
	timer_t timer;

	signal(SIGUSR1, on_signal);
	assert(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0);
	assert(timer_settime(timer, 0, when, NULL) == 0);
	work();
	pause();
}

int main(int argc, char **argv)
{
	struct itimerspec when = {.it_value = {.tv_sec = 1}};

	good = argc > 2 && !strcmp(argv[2], "good");
	if (!strcmp(argv[1], "thread"))
		by_thread(&when);
	else if (!strcmp(argv[1], "descriptor"))
		by_descriptor(&when);
	else
		by_signal(&when);
	return 0;
}
