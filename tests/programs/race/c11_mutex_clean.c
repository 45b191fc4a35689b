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
static int data;

static int take(void *arg)
{
	for (mtx_lock(&lock); !data; cnd_wait(&changed, &lock))
		;
	return data++ + mtx_unlock(&lock);
}

int main(void)
{
	thrd_t t;

	mtx_init(&lock, mtx_plain);
	cnd_init(&changed);
	thrd_create(&t, take, NULL);
	mtx_lock(&lock);
	data = 1;
	cnd_signal(&changed);
	mtx_unlock(&lock);
	thrd_join(t, NULL);
	return data - 2;
}
