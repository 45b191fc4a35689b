/*
 * To sleep long enough is no order.
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

int main(void)
{
	pthread_t t = start(child, NULL);
	int seen;

	sleep(10);
	seen = x;
	finish(t);
	return seen > 1;
}
