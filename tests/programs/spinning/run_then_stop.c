/*
 * The shape of most stress tests: threads work until main, which sleeps meanwhile, tells them to
 * stop. Time passes with what they do, so the sleep ends; and where they only look, at once.
 *
 * RUN: run --seed 1..5
 * EXPECT: clean
 * RUN: run --policy pct --seed 1..5
 * EXPECT: clean
 * RUN: run --policy rr
 * EXPECT: clean
 * RUN: run --switch-at sync --seed 1..2
 * EXPECT: clean
 */
#include "../program.h"
#include <stdatomic.h>

static atomic_int stop;
static long done[2];

static void *work(void *arg)
{
	long *mine = arg;

	while (!atomic_load(&stop))
		++*mine;
	return NULL;
}

static void *look(void *arg)
{
	long looks = 0;

	while (!atomic_load(&stop))
		looks++;
	return (void *)looks;
}

static void run_for(unsigned microseconds, void *(*what)(void *))
{
	pthread_t t[2];

	atomic_store(&stop, 0);
	for (int i = 0; i < 2; i++)
		t[i] = start(what, &done[i]);
	usleep(microseconds);
	atomic_store(&stop, 1);
	for (int i = 0; i < 2; i++)
		finish(t[i]);
}

int main(void)
{
	run_for(2000, work);
	/* Two threads at some 20 ns a round. */
	assert(done[0] + done[1] > 20000);
	run_for(3000000000u, look);
	return 0;
}
