/*
 * Volatile makes neither the flag atomic nor the data ordered.
 *
 * RUN: run --seed 1..5
 * EXPECT: race 'data' @produce @main
 * EXPECT: race 'flag' @produce @main
 *
 * Who means atomic by it can say so; whether it orders others, too.
 *
 * RUN: run --volatile relaxed --seed 1..5
 * EXPECT: race 'data' @produce @main
 * RUN: run --volatile acquire-release --seed 1..5
 * EXPECT: clean
 */
#include "../program.h"

static volatile int flag;
int data; /* not static: the compiler must not know all its values */

static void *produce(void *arg)
{
	data = 42;
	flag = 1;
	return NULL;
}

int main(void)
{
	pthread_t t = start(produce, NULL);
	int seen;

	while (!flag)
		;
	seen = data;
	finish(t);
	return seen < 0;
}
