/*
 * A read-write lock that nobody holds is unlocked.
 *
 * RUN: run --seed 1..5
 * EXPECT: misuse unlock of a read-write lock that is not locked @main:UNLOCK
 * EXIT: 0
 */
#include "../program.h"

static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;

int main(void)
{
	pthread_rwlock_unlock(&l); /* UNLOCK */
	assert(pthread_rwlock_trywrlock(&l) == 0);
	return 0;
}
