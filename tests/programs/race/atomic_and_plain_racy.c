/*
 * One thread adds atomically, the other does not.
 *
 * RUN: run --seed 1..5
 * EXPECT: race 'hits' @atomically @plainly
 */
#include "../program.h"

static int hits;

static void *atomically(void *arg)
{
	__atomic_fetch_add(&hits, 1, __ATOMIC_SEQ_CST);
	return NULL;
}

static void *plainly(void *arg)
{
	hits++;
	return NULL;
}

int main(void)
{
	pthread_t a = start(atomically, NULL), b = start(plainly, NULL);

	finish(a);
	finish(b);
	return hits > 2;
}
