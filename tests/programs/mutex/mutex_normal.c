/*
 * A normal mutex keeps critical sections apart: no update is lost, and nobody is
 * ever seen inside, wherever threads are switched.
 *
 * RUN: run --seed 1..20
 * EXPECT: clean
 * OUTPUT: total 30
 * RUN: run --switch-at accesses --seed 1..20
 * EXPECT: clean
 * OUTPUT: total 30
 */
#include "../program.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int total, inside;

static void *add(void *arg)
{
	for (int i = 0; i < 10; i++) {
		assert(pthread_mutex_lock(&m) == 0);
		assert(inside++ == 0);
		total++;
		assert(--inside == 0);
		assert(pthread_mutex_unlock(&m) == 0);
	}
	return NULL;
}

int main(void)
{
	pthread_t t[3];

	for (int i = 0; i < 3; i++)
		t[i] = start(add, NULL);
	for (int i = 0; i < 3; i++)
		finish(t[i]);
	printf("total %d\n", total);
	assert(pthread_mutex_destroy(&m) == 0);
	return 0;
}
