/*
 * Two C11 threads take two mutexes in opposite orders.
 *
 * CC: gnu11
 * RUN: run
 * EXPECT: deadlock @take:SECOND within 20 seeds
 */
#include <stdint.h>
#include <threads.h>

static mtx_t m[2];

static int take(void *arg)
{
	int first = (int)(intptr_t)arg;

	mtx_lock(&m[first]);
	mtx_lock(&m[1 - first]); /* SECOND */
	mtx_unlock(&m[1 - first]);
	mtx_unlock(&m[first]);
	return 0;
}

int main(void)
{
	thrd_t t, u;

	mtx_init(&m[0], mtx_plain);
	mtx_init(&m[1], mtx_plain);
	thrd_create(&t, take, (void *)0);
	thrd_create(&u, take, (void *)1);
	thrd_join(t, NULL);
	thrd_join(u, NULL);
	return 0;
}
