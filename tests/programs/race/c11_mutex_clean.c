/*
 * C11 threads with a mutex and a condition variable.
 *
 * CC: gnu11
 * RUN: run --seed 1..20
 * EXPECT: clean
 * RUN: run --policy pct --pct-length 100 --seed 1..20
 * EXPECT: clean
 * RUN: run --switch-at accesses --seed 1..20
 * EXPECT: clean
 */
#include "../program.h"
#include <threads.h>

static mtx_t lock;
static cnd_t changed;
static int ready, data;

static int wait_for_data(void *arg)
{
	mtx_lock(&lock);
	while (!ready)
		cnd_wait(&changed, &lock);
	mtx_unlock(&lock);
	return data++;
}

int main(void)
{
	thrd_t t;

	assert(mtx_init(&lock, mtx_plain) == thrd_success && cnd_init(&changed) == thrd_success);
	thrd_create(&t, wait_for_data, NULL);
	data = 42;
	mtx_lock(&lock);
	ready = 1;
	mtx_unlock(&lock);
	cnd_signal(&changed);
	thrd_join(t, NULL);
	return data - 43;
}
