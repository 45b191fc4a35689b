/*
 * A mutex is unlocked once too often.
 *
 * RUN: run --seed 1..5
 * EXPECT: misuse unlock of a mutex that is not locked @main:TWICE
 * EXIT: 0
 */
#include "../program.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

int main(void)
{
	pthread_mutex_lock(&m);
	pthread_mutex_unlock(&m);
	pthread_mutex_unlock(&m); /* TWICE */
	return 0;
}
