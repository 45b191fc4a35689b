/*
 * A task does the same to a variable again and again: first alone, until nothing new can come of it, then
 * beside another task, in a later step.
 *
 * RUN: run --parallel 2
 * EXPECT: race on 'counter' @bump @look
 */
#include <heddle/hj.h>

static long counter, seen;

static __attribute__((noinline)) void bump(void)
{
	counter++;
}

static void look(void *arg)
{
	seen = counter;
}

static void root(void *arg)
{
	for (int i = 0; i < 10; i++)
		bump();
	HJ_FINISH {
		hj_async(look, NULL);
		for (int i = 0; i < 10; i++)
			bump();
	}
}

int main(void)
{
	hj_launch(root, NULL);
	return seen < 0;
}
