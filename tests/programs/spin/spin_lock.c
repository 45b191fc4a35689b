/*
 * A spin lock excludes; its waiters do not spin under heddle.
 *
 * RUN: run --seed 1..20
 * EXPECT: clean
 * RUN: run --policy rr
 * EXPECT: clean
 * RUN: run --policy pct --seed 1..10
 * EXPECT: clean
 */
#include "../program.h"

static pthread_spinlock_t s;
static int total;

static void *add(void *arg)
{
	for (int i = 0; i < 10; i++) {
		int before;

		assert(pthread_spin_lock(&s) == 0);
		before = total;
		sched_yield();
		total = before + 1;
		assert(pthread_spin_unlock(&s) == 0);
	}
	return NULL;
}

static void *is_busy(void *arg)
{
	assert(pthread_spin_trylock(&s) == EBUSY);
	return NULL;
}

int main(void)
{
	pthread_t t, u;

	assert(pthread_spin_init(&s, PTHREAD_PROCESS_PRIVATE) == 0);
	t = start(add, NULL);
	u = start(add, NULL);
	finish(t);
	finish(u);
	assert(total == 20);
	assert(pthread_spin_trylock(&s) == 0);
	finish(start(is_busy, NULL));
	assert(pthread_spin_unlock(&s) == 0);
	assert(pthread_spin_destroy(&s) == 0);
	return 0;
}
