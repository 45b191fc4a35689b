/*
 * Among many readers one writes: the readers' first and last are both told apart from it.
 *
 * RUN: run --seed 1..5
 * EXPECT: race 'table' @look @main
 */
#include "../program.h"

static int table;

static void *look(void *arg)
{
	return (void *)(intptr_t)table;
}

int main(void)
{
	pthread_t t[10];

	for (int i = 0; i < 10; i++)
		t[i] = start(look, NULL);
	table = 1;
	for (int i = 0; i < 10; i++)
		finish(t[i]);
	return 0;
}
