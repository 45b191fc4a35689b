/*
 * One of two threads forgets the spin lock.
 *
 * RUN: run --seed 1..5
 * EXPECT: race 'total' @locked @unlocked
 */
#include "../program.h"

static pthread_spinlock_t lock;
static int total;

static void *locked(void *arg)
{
	pthread_spin_lock(&lock);
	total++;
	pthread_spin_unlock(&lock);
	return NULL;
}

static void *unlocked(void *arg)
{
	total++;
	return NULL;
}

int main(void)
{
	pthread_t a, b;

	pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE);
	a = start(locked, NULL);
	b = start(unlocked, NULL);
	finish(a);
	finish(b);
	return 0;
}
