/*
 * Both threads take the spin lock, one of them by trying.
 *
 * RUN: run --seed 1..20
 * EXPECT: clean
 * RUN: run --policy pct --pct-length 100 --seed 1..20
 * EXPECT: clean
 * RUN: run --switch-at accesses --seed 1..20
 * EXPECT: clean
 */
#include "../program.h"

static pthread_spinlock_t lock;
static int total;

static void *trying(void *arg)
{
	while (pthread_spin_trylock(&lock) != 0)
		sched_yield();
	total++;
	pthread_spin_unlock(&lock);
	return NULL;
}

int main(void)
{
	pthread_t t;

	pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE);
	t = start(trying, NULL);
	pthread_spin_lock(&lock);
	total++;
	pthread_spin_unlock(&lock);
	finish(t);
	return total - 2;
}
