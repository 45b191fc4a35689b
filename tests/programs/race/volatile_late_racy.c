/*
 * The data is written after the volatile flag is: it is not handed over, whatever volatile means. And what one
 * thread accesses as volatile and another one not is no pair of atomic accesses.
 *
 * RUN: run --volatile acquire-release --seed 1..5
 * EXPECT: race 'data' @produce @main
 * EXPECT: race 'mixed' @produce @main
 */
#include "../program.h"

static volatile int flag;
int data, mixed; /* not static: the compiler must not know all their values */

static void *produce(void *arg)
{
	flag = 1;
	data = 42;
	*(volatile int *)&mixed = 1;
	return NULL;
}

int main(void)
{
	pthread_t t = start(produce, NULL);
	int seen;

	while (!flag)
		;
	seen = data + mixed;
	finish(t);
	return seen < 0;
}
