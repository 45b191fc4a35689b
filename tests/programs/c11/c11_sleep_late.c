/*
 * main keeps the lock for two minutes, and the other waits for one.
 *
 * CC: gnu11
 * RUN: run --seed 1..5
 * EXPECT: assertion taken @main:CHECK
 */
#include <assert.h>
#include <threads.h>
#include <time.h>

static mtx_t m;
static int taken;

static int take(void *arg)
{
	struct timespec end;

	timespec_get(&end, TIME_UTC);
	end.tv_sec += 60;
	if (mtx_timedlock(&m, &end) == thrd_success) {
		taken = 1;
		mtx_unlock(&m);
	}
	return 0;
}

int main(void)
{
	struct timespec two_minutes = { .tv_sec = 120 };
	thrd_t t;

	mtx_init(&m, mtx_timed);
	mtx_lock(&m);
	thrd_create(&t, take, NULL);
	assert(thrd_sleep(&two_minutes, NULL) == 0);
	mtx_unlock(&m);
	thrd_join(t, NULL);
	assert(taken); /* CHECK */
	return 0;
}
