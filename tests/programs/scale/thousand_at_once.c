/*
 * A thousand threads alive at the same time: all meet at one barrier.
 *
 * RUN: run --seed 1..2
 * EXPECT: clean
 */
#include "../program.h"

#define THREADS 1000

static pthread_barrier_t b;
static int serial;

static void *meet(void *arg)
{
	if (pthread_barrier_wait(&b) == PTHREAD_BARRIER_SERIAL_THREAD)
		serial++;
	return arg;
}

int main(void)
{
	static pthread_t t[THREADS];

	pthread_barrier_init(&b, NULL, THREADS + 1);
	for (intptr_t i = 0; i < THREADS; i++)
		t[i] = start(meet, (void *)i);
	meet(NULL);
	for (intptr_t i = 0; i < THREADS; i++)
		assert(finish(t[i]) == (void *)i);
	assert(serial == 1);
	return 0;
}
