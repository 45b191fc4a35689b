/*
 * A counter that need not be exact: still a race, and told once for each pair of accesses.
 *
 * RUN: run --seed 1..5
 * EXPECT: race 'hits' @serve
 */
#include "../program.h"

static int hits;

static void *serve(void *arg)
{
	for (int i = 0; i < 100; i++)
		hits++;
	return NULL;
}

int main(void)
{
	pthread_t t[3];

	for (int i = 0; i < 3; i++)
		t[i] = start(serve, NULL);
	for (int i = 0; i < 3; i++)
		finish(t[i]);
	return hits > 300;
}
