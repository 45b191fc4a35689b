/*
 * A thread unlocks what another one locked for writing.
 *
 * RUN: run --seed 1..20
 * EXPECT: misuse this thread does not hold @thief:UNLOCK
 * EXIT: 0
 */
#include "../program.h"

static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;

static void *thief(void *arg)
{
	pthread_rwlock_unlock(&l); /* UNLOCK */
	return NULL;
}

int main(void)
{
	pthread_rwlock_wrlock(&l);
	finish(start(thief, NULL));
	return 0;
}
