/*
 * A barrier for three that only two come to.
 *
 * RUN: run --seed 1..20
 * EXPECT: deadlock barrier @come:WAIT
 */
#include "../program.h"

static pthread_barrier_t b;

static void *come(void *arg)
{
	pthread_barrier_wait(&b); /* WAIT */
	return NULL;
}

int main(void)
{
	pthread_t t, u;

	pthread_barrier_init(&b, NULL, 3);
	t = start(come, NULL);
	u = start(come, NULL);
	finish(t);
	finish(u);
	return 0;
}
