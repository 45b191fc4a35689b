/*
 * C11 threads and locks. GOOD: both take the lock.
 *
 * EXPECT: race x
 */

#include <threads.h>

static volatile int x;
static mtx_t lock;

static int work(void *arg)
{
#ifndef GOOD
	if (arg)
#endif
		mtx_lock(&lock);
	x++;
#ifndef GOOD
	if (arg)
#endif
		mtx_unlock(&lock);
	return 7;
}

int main(void)
{
	thrd_t t, u;
	int result = 0;

	mtx_init(&lock, mtx_plain);
	thrd_create(&t, work, NULL);
	thrd_create(&u, work, &lock);
	thrd_join(t, &result);
	thrd_join(u, NULL);
	return result == 7 ? 0 : 1;
}
