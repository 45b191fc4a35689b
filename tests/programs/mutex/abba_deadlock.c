/*
 * Two threads take two mutexes in opposite orders.
 *
 * RUN: run
 * EXPECT: deadlock @forth:SECONDB @back:SECONDA within 20 seeds
 * NEVER: misuse
 * RUN: run --policy pct --pct-length 20
 * EXPECT: deadlock @forth:SECONDB @back:SECONDA within 50 seeds
 */
#include "../program.h"

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;

static void *forth(void *arg)
{
	pthread_mutex_lock(&a);
	pthread_mutex_lock(&b); /* SECONDB */
	pthread_mutex_unlock(&b);
	pthread_mutex_unlock(&a);
	return NULL;
}

static void *back(void *arg)
{
	pthread_mutex_lock(&b);
	pthread_mutex_lock(&a); /* SECONDA */
	pthread_mutex_unlock(&a);
	pthread_mutex_unlock(&b);
	return NULL;
}

int main(void)
{
	pthread_t t = start(forth, NULL), u = start(back, NULL);

	finish(t);
	finish(u);
	return 0;
}
