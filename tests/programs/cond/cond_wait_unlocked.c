/*
 * A wait with a mutex that nobody locked: reported, not waited for.
 *
 * RUN: run --seed 1..5
 * EXPECT: misuse wait with a mutex that is not locked @main:WAIT
 * EXIT: 0
 */
#include "../program.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;

int main(void)
{
	pthread_cond_wait(&c, &m); /* WAIT */
	return 0;
}
