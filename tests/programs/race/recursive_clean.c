/*
 * The inner unlock of a recursive mutex does not let go of it.
 *
 * RUN: run --seed 1..20
 * EXPECT: clean
 * RUN: run --policy pct --pct-length 100 --seed 1..20
 * EXPECT: clean
 * RUN: run --switch-at accesses --seed 1..20
 * EXPECT: clean
 */
#include "../program.h"

static pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static int total;

static void *work(void *arg)
{
	pthread_mutex_lock(&lock);
	pthread_mutex_lock(&lock);
	pthread_mutex_unlock(&lock);
	total++;
	pthread_mutex_unlock(&lock);
	return NULL;
}

int main(void)
{
	pthread_t a = start(work, NULL), b = start(work, NULL);

	finish(a);
	finish(b);
	assert(total == 2);
	return 0;
}
