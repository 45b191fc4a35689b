/*
 * C11 threads: the two halves of a swap in two sections, the reader adds them up. GOOD: in one.
 *
 * EXPECT: extended-race red black
 */
#include <stdio.h>
#include <threads.h>

static int red = 1, black = 9;
static mtx_t lock;

static int swap(void *arg)
{
	int r;

	(void)arg;
	mtx_lock(&lock);
	r = red;
	red = black;
#ifndef GOOD
	mtx_unlock(&lock);
	mtx_lock(&lock);
#endif
	black = r;
	mtx_unlock(&lock);
	return 0;
}

static int add(void *arg)
{
	int sum;

	(void)arg;
	mtx_lock(&lock);
	sum = red + black;
	mtx_unlock(&lock);
	printf("%d\n", sum);
	return 0;
}

int main(void)
{
	thrd_t a, b;

	mtx_init(&lock, mtx_plain);
	thrd_create(&a, swap, NULL);
	thrd_create(&b, add, NULL);
	thrd_join(a, NULL);
	thrd_join(b, NULL);
	return 0;
}
