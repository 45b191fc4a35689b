/*
 * One thread was joined, but by somebody else: that orders nothing for the main thread.
 *
 * RUN: run --seed 1..5
 * EXPECT: race 'x' @child @main
 */
#include "../program.h"

int x; /* not static: the compiler must not know all its values */

static void *child(void *arg)
{
	x = 1;
	return NULL;
}

static void *joiner(void *arg)
{
	finish(*(pthread_t *)arg);
	return NULL;
}

int main(void)
{
	pthread_t t = start(child, NULL), u = start(joiner, &t);
	int seen = x;

	finish(u);
	return seen > 1;
}
