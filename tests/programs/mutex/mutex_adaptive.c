/*
 * An adaptive mutex is a normal one to its users.
 *
 * RUN: run --seed 1..20
 * EXPECT: clean
 */
#include "../program.h"

static pthread_mutex_t m = PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP;
static int total;

static void *add(void *arg)
{
	for (int i = 0; i < 10; i++) {
		int before;

		assert(pthread_mutex_lock(&m) == 0);
		before = total;
		sched_yield();
		total = before + 1;
		assert(pthread_mutex_unlock(&m) == 0);
	}
	return NULL;
}

int main(void)
{
	pthread_t a = start(add, NULL), b = start(add, NULL);

	finish(a);
	finish(b);
	assert(total == 20);
	return 0;
}
