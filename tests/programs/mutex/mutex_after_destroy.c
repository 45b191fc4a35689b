/*
 * A destroyed mutex is used again.
 *
 * RUN: run --seed 1..5
 * EXPECT: misuse lock of a destroyed mutex @main:LOCK
 * EXIT: 0
 */
#include "../program.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

int main(void)
{
	assert(pthread_mutex_destroy(&m) == 0);
	assert(pthread_mutex_lock(&m) == EINVAL); /* LOCK */
	return 0;
}
