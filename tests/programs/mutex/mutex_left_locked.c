/*
 * A thread ends with a normal mutex locked: who asks for it waits for ever.
 *
 * RUN: run --seed 1..20
 * EXPECT: deadlock m @main:LOCK
 */
#include "../program.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *forget(void *arg)
{
	pthread_mutex_lock(&m);
	return NULL;
}

int main(void)
{
	finish(start(forget, NULL));
	pthread_mutex_lock(&m); /* LOCK */
	return 0;
}
