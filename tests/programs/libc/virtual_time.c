/*
 * Timed calls take virtual time, not real time: hours pass in the clock that the program
 * sees, while the processor's own counter shows that hardly any did.
 *
 * RUN: run --seed 1..20
 * EXPECT: clean
 */
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <sys/select.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

/* The kernel's clock, past every function that a tool could replace. */
static long real_seconds(void)
{
	struct timespec ts;
	long ret;

	__asm__ volatile("syscall"
			 : "=a"(ret)
			 : "a"(SYS_clock_gettime), "D"(CLOCK_MONOTONIC), "S"(&ts)
			 : "rcx", "r11", "memory");
	assert(ret == 0);
	return ts.tv_sec;
}

static long passed(clockid_t clock, const struct timespec *since)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return now.tv_sec - since->tv_sec;
}

int main(void)
{
	pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
	long began = real_seconds();
	struct timespec start, day, ts;
	struct timeval tv = {3600, 0}, seen;
	time_t t;
	sem_t sem;

	clock_gettime(CLOCK_MONOTONIC, &start);
	clock_gettime(CLOCK_REALTIME, &day);

	ts = (struct timespec){3600, 0};
	assert(nanosleep(&ts, NULL) == 0);
	assert(passed(CLOCK_MONOTONIC, &start) == 3600);

	ts = (struct timespec){start.tv_sec + 2 * 3600, start.tv_nsec};
	assert(clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, NULL) == 0);
	assert(passed(CLOCK_MONOTONIC, &start) == 2 * 3600);
	/* A time that has passed: no sleep at all. */
	assert(clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &start, NULL) == 0);
	assert(passed(CLOCK_MONOTONIC, &start) == 2 * 3600);

	assert(poll(NULL, 0, 3600 * 1000) == 0);
	assert(passed(CLOCK_MONOTONIC, &start) == 3 * 3600);

	assert(select(0, NULL, NULL, NULL, &tv) == 0);
	assert(passed(CLOCK_MONOTONIC, &start) == 4 * 3600);

	ts = (struct timespec){day.tv_sec + 5 * 3600, day.tv_nsec};
	pthread_mutex_lock(&lock);
	while (pthread_cond_timedwait(&cond, &lock, &ts) != ETIMEDOUT)
		;
	pthread_mutex_unlock(&lock);
	assert(passed(CLOCK_REALTIME, &day) == 5 * 3600);

	sem_init(&sem, 0, 0);
	ts.tv_sec += 3600;
	assert(sem_timedwait(&sem, &ts) == -1 && errno == ETIMEDOUT);
	assert(passed(CLOCK_REALTIME, &day) == 6 * 3600);

	/* All clocks of the day agree. */
	clock_gettime(CLOCK_REALTIME, &ts);
	gettimeofday(&seen, NULL);
	t = time(NULL);
	assert(seen.tv_sec - ts.tv_sec <= 1 && t - seen.tv_sec <= 1 && t >= ts.tv_sec);

	assert(nanosleep(&(struct timespec){0, 1000000000}, NULL) == -1 && errno == EINVAL);
	assert(real_seconds() - began < 3600);
	return 0;
}
