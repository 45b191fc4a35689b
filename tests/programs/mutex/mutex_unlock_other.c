/*
 * A thread unlocks a normal mutex that another one locked. The run goes on.
 *
 * RUN: run --seed 1..20
 * EXPECT: misuse unlock of a mutex that T1 locked @thief:UNLOCK
 * NEVER: deadlock
 * EXIT: 0
 */
#include "../program.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *thief(void *arg)
{
	pthread_mutex_unlock(&m); /* UNLOCK */
	return NULL;
}

int main(void)
{
	pthread_mutex_lock(&m);
	finish(start(thief, NULL));
	return 0;
}
