/*
 * A wait at a barrier that was never initialised, and at one that was destroyed.
 *
 * RUN: run --seed 1..5
 * EXPECT: misuse wait at a barrier that is not initialised @main:NEVERINIT
 * EXPECT: misuse wait at a barrier that is not initialised @main:DESTROYED
 * EXIT: 0
 */
#include "../program.h"

static pthread_barrier_t never, destroyed;

int main(void)
{
	pthread_barrier_wait(&never); /* NEVERINIT */
	pthread_barrier_init(&destroyed, NULL, 1);
	pthread_barrier_destroy(&destroyed);
	pthread_barrier_wait(&destroyed); /* DESTROYED */
	return 0;
}
