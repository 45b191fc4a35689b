/*
 * Writers that wait or try, and readers.
 *
 * RUN: run --seed 1..20
 * EXPECT: clean
 * RUN: run --policy pct --pct-length 100 --seed 1..20
 * EXPECT: clean
 * RUN: run --switch-at accesses --seed 1..20
 * EXPECT: clean
 */
#include "../program.h"

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int price;

static void *raise_price(void *arg)
{
	while (pthread_rwlock_trywrlock(&lock) != 0)
		sched_yield();
	price++;
	pthread_rwlock_unlock(&lock);
	return NULL;
}

static void *look(void *arg)
{
	pthread_rwlock_rdlock(&lock);
	assert(price <= 1);
	pthread_rwlock_unlock(&lock);
	return NULL;
}

int main(void)
{
	pthread_t w = start(raise_price, NULL), r = start(look, NULL), s = start(look, NULL);

	finish(w);
	return finish(r) == finish(s) ? price - 1 : 1;
}
