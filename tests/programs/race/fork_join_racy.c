/*
 * The creator goes on with the variable after create and before join.
 *
 * RUN: run --seed 1..5
 * EXPECT: race 'x' @child @main
 */
#include "../program.h"

static int x;

static void *child(void *arg)
{
	x++;
	return NULL;
}

int main(void)
{
	pthread_t t;

	x = 1;
	t = start(child, NULL);
	x++;
	finish(t);
	return 0;
}
