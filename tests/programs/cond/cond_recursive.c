/*
 * A wait with a recursive mutex that is locked once gives it up and gets it back.
 *
 * RUN: run --seed 1..20
 * EXPECT: clean
 */
#include "../program.h"

static pthread_mutex_t m = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int flag;

static void *set_flag(void *arg)
{
	pthread_mutex_lock(&m);
	pthread_mutex_lock(&m);
	flag = 1;
	pthread_cond_broadcast(&c);
	pthread_mutex_unlock(&m);
	pthread_mutex_unlock(&m);
	return NULL;
}

int main(void)
{
	pthread_t t = start(set_flag, NULL);

	pthread_mutex_lock(&m);
	while (!flag)
		assert(pthread_cond_wait(&c, &m) == 0);
	assert(pthread_mutex_unlock(&m) == 0);
	assert(pthread_mutex_unlock(&m) == EPERM);
	finish(t);
	return 0;
}
