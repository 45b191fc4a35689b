/*
 * A C11 thread unlocks what another one locked.
 *
 * CC: gnu11
 * RUN: run --seed 1..5
 * EXPECT: misuse unlock of a mutex that T1 locked @thief:UNLOCK
 * EXIT: 0
 */
#include <threads.h>

static mtx_t m;

static int thief(void *arg)
{
	mtx_unlock(&m); /* UNLOCK */
	return 0;
}

int main(void)
{
	thrd_t t;

	mtx_init(&m, mtx_plain);
	mtx_lock(&m);
	thrd_create(&t, thief, NULL);
	thrd_join(t, NULL);
	return 0;
}
