/*
 * A wait gives up one level of a recursive mutex. Locked twice, it stays locked, and
 * nobody can come to signal.
 *
 * RUN: run
 * EXPECT: deadlock @main:WAIT @set_flag:LOCK within 10 seeds
 */
#include "../program.h"

static pthread_mutex_t m = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int flag;

static void *set_flag(void *arg)
{
	pthread_mutex_lock(&m); /* LOCK */
	flag = 1;
	pthread_cond_signal(&c);
	pthread_mutex_unlock(&m);
	return NULL;
}

int main(void)
{
	pthread_t t = start(set_flag, NULL);

	pthread_mutex_lock(&m);
	pthread_mutex_lock(&m);
	while (!flag)
		pthread_cond_wait(&c, &m); /* WAIT */
	pthread_mutex_unlock(&m);
	pthread_mutex_unlock(&m);
	finish(t);
	return 0;
}
