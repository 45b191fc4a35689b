/*
 * One thread takes the C11 mutex, the other does not.
 *
 * CC: gnu11
 * RUN: run --seed 1..5
 * EXPECT: race 'total' @locked @main
 */
#include "../program.h"
#include <threads.h>

static mtx_t lock;
static int total;

static int locked(void *arg)
{
	mtx_lock(&lock);
	total++;
	mtx_unlock(&lock);
	return 0;
}

int main(void)
{
	thrd_t t;

	mtx_init(&lock, mtx_plain);
	thrd_create(&t, locked, NULL);
	total++;
	thrd_join(t, NULL);
	return total > 2;
}
