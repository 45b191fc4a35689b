/*
 * One reader trusts that somebody else called pthread_once.
 *
 * RUN: run --seed 1..5
 * EXPECT: race 'table' @fill @direct
 */
#include "../program.h"

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int table;

static void fill(void)
{
	table = 42;
}

static void *through_once(void *arg)
{
	pthread_once(&once, fill);
	return (void *)(intptr_t)table;
}

static void *direct(void *arg)
{
	return (void *)(intptr_t)table;
}

int main(void)
{
	pthread_t a = start(through_once, NULL), b = start(direct, NULL);

	finish(a);
	finish(b);
	return 0;
}
