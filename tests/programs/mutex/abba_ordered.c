/*
 * Two threads take two mutexes in the same order.
 *
 * RUN: run --seed 1..50
 * EXPECT: clean
 */
#include "../program.h"

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static int both;

static void *take_both(void *arg)
{
	pthread_mutex_lock(&a);
	pthread_mutex_lock(&b);
	both++;
	pthread_mutex_unlock(&b);
	pthread_mutex_unlock(&a);
	return NULL;
}

int main(void)
{
	pthread_t t = start(take_both, NULL), u = start(take_both, NULL);

	finish(t);
	finish(u);
	assert(both == 2);
	return 0;
}
