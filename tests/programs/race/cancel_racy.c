/*
 * A cancelled thread still cleans up: the sender does not wait for that.
 *
 * RUN: run --seed 1..5
 * EXPECT: race 'state' @clean_up @main
 */
#include "../program.h"

int state; /* not static: the compiler must not know all its values */

static void clean_up(void *arg)
{
	state = 2;
}

static void *work(void *arg)
{
	pthread_cleanup_push(clean_up, NULL);
	for (;;)
		sleep(1);
	pthread_cleanup_pop(0);
	return NULL;
}

int main(void)
{
	pthread_t t = start(work, NULL);
	int seen;

	pthread_cancel(t);
	seen = state;
	finish(t);
	return seen > 2;
}
