/*
 * A wait with a mutex that another thread holds.
 *
 * RUN: run --seed 1..20
 * EXPECT: misuse wait with a mutex that another thread holds @waiter:WAIT
 * EXIT: 0
 */
#include "../program.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;

static void *waiter(void *arg)
{
	pthread_cond_wait(&c, &m); /* WAIT */
	return NULL;
}

int main(void)
{
	pthread_mutex_lock(&m);
	finish(start(waiter, NULL));
	assert(pthread_mutex_unlock(&m) == 0);
	return 0;
}
