/*
 * A read-write lock is destroyed while it is held for reading.
 *
 * RUN: run --seed 1..5
 * EXPECT: misuse destruction of a read-write lock @main:DESTROY
 * EXIT: 0
 */
#include "../program.h"

static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;

int main(void)
{
	pthread_rwlock_rdlock(&l);
	pthread_rwlock_destroy(&l); /* DESTROY */
	return 0;
}
