/*
 * The same with a plain flag, which is a race, and loops without any scheduling point.
 *
 * CC: -O0
 * RUN: run --seed 1..3
 * EXPECT: race @work
 */
#include "../program.h"

static int stop;
static long done[2];

static void *work(void *arg)
{
	long *mine = arg;

	while (!stop)
		++*mine;
	return NULL;
}

int main(void)
{
	pthread_t t[2];

	for (int i = 0; i < 2; i++)
		t[i] = start(work, &done[i]);
	usleep(10000);
	stop = 1;
	for (int i = 0; i < 2; i++)
		finish(t[i]);
	return 0;
}
