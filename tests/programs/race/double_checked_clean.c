/*
 * Double-checked creation with acquire and release.
 *
 * RUN: run --seed 1..20
 * EXPECT: clean
 * RUN: run --policy pct --pct-length 100 --seed 1..20
 * EXPECT: clean
 * RUN: run --switch-at accesses --seed 1..20
 * EXPECT: clean
 */
#include "../program.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int made, table;

static void *use(void *arg)
{
	if (!__atomic_load_n(&made, __ATOMIC_ACQUIRE)) {
		pthread_mutex_lock(&lock);
		if (!made) {
			table = 42;
			__atomic_store_n(&made, 1, __ATOMIC_RELEASE);
		}
		pthread_mutex_unlock(&lock);
	}
	assert(table == 42);
	return NULL;
}

int main(void)
{
	pthread_t a = start(use, NULL), b = start(use, NULL);

	finish(a);
	finish(b);
	return 0;
}
