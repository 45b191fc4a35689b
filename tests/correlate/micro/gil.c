/*
 * One lock for everything, made of a flag under a mutex and a condition variable that is waited
 * for with a time limit: whoever set the flag may do what it likes, and hands it on, also from the
 * second of three threads to the third. GOOD: everybody does; otherwise they begin without it.
 *
 * EXPECT: race state
 */
#include <stdlib.h>
#include <time.h>

#include "../pair.h"

static volatile int locked;
static volatile long state, holder;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

static __attribute__((noreturn, cold, noinline)) void fatal(const char *what)
{
	perror(what);
	exit(1);
}

static __attribute__((noinline)) void take(long who)
{
	if (LOCK(m))
		fatal("lock");
	while (locked) {
		struct timespec until;

		clock_gettime(CLOCK_REALTIME, &until);
		until.tv_nsec += 5000000;
		if (until.tv_nsec >= 1000000000) {
			until.tv_nsec -= 1000000000;
			until.tv_sec++;
		}
		pthread_cond_timedwait(&changed, &m, &until);
	}
	locked = 1;
	holder = who;
	if (UNLOCK(m))
		fatal("unlock");
}

static __attribute__((noinline)) void drop(long who)
{
	holder = -who;
	LOCK(m);
	locked = 0;
	pthread_cond_signal(&changed);
	UNLOCK(m);
}

static void work(long who)
{
#ifndef GOOD
	state += who;
#endif
	for (int i = 0; i < 50; i++) {
		take(who);
		state += who;
		drop(who);
	}
}

static void *third(void *arg)
{
	work(3);
	return arg;
}

static void a(void)
{
	pthread_t c;

	pthread_create(&c, NULL, third, NULL);
	work(1);
	pthread_join(c, NULL);
}

static void b(void)
{
	work(2);
}
