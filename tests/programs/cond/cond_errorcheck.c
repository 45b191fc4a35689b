/*
 * POSIX promises EPERM where the mutex is an errorcheck one, so this is no misuse.
 *
 * RUN: run --seed 1..5
 * EXPECT: clean
 */
#include "../program.h"

static pthread_mutex_t m = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;

int main(void)
{
	struct timespec soon = in_seconds(CLOCK_REALTIME, 1);

	assert(pthread_cond_wait(&c, &m) == EPERM);
	assert(pthread_cond_timedwait(&c, &m, &soon) == EPERM);
	return 0;
}
