/*
 * The main thread does not call call_once before it reads.
 *
 * CC: gnu11
 * RUN: run --seed 1..5
 * EXPECT: race 'table' @fill @main
 */
#include "../program.h"
#include <threads.h>

static once_flag once = ONCE_FLAG_INIT;
int table; /* not static: the compiler must not know all its values */

static void fill(void)
{
	table = 42;
}

static int use(void *arg)
{
	call_once(&once, fill);
	return table;
}

int main(void)
{
	int seen;
	thrd_t t;

	thrd_create(&t, use, NULL);
	seen = table;
	thrd_join(t, NULL);
	return seen < 0;
}
