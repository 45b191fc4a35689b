/*
 * The value is written between the rounds but read after the first one.
 *
 * RUN: run --seed 1..5
 * EXPECT: race 'result' @write_late @read_early
 */
#include "../program.h"

static pthread_barrier_t barrier;
static int result;

static void *write_late(void *arg)
{
	pthread_barrier_wait(&barrier);
	result = 42;
	pthread_barrier_wait(&barrier);
	return NULL;
}

static void *read_early(void *arg)
{
	int seen;

	pthread_barrier_wait(&barrier);
	seen = result;
	pthread_barrier_wait(&barrier);
	return (void *)(intptr_t)seen;
}

int main(void)
{
	pthread_t a, b;

	pthread_barrier_init(&barrier, NULL, 2);
	a = start(write_late, NULL);
	b = start(read_early, NULL);
	finish(a);
	finish(b);
	return 0;
}
