/*
 * `if` where `while` belongs: wrong only when a wait ends without a signal.
 *
 * RUN: run --seed 1..20
 * EXPECT: clean
 * RUN: run --spurious
 * EXPECT: assertion done @main:CHECK within 50 seeds
 * EXIT: SIGABRT
 */
#include "../program.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int done;

static void *notify(void *arg)
{
	pthread_mutex_lock(&m);
	done = 1;
	pthread_cond_signal(&c);
	pthread_mutex_unlock(&m);
	return NULL;
}

int main(void)
{
	pthread_t t = start(notify, NULL);

	pthread_mutex_lock(&m);
	if (!done)
		pthread_cond_wait(&c, &m);
	assert(done); /* CHECK */
	pthread_mutex_unlock(&m);
	finish(t);
	return 0;
}
