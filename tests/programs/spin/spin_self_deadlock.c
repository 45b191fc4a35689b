/*
 * A thread asks for the spin lock that it holds.
 *
 * RUN: run --seed 1..5
 * EXPECT: deadlock spin lock @main:AGAIN
 */
#include "../program.h"

static pthread_spinlock_t s;

int main(void)
{
	pthread_spin_init(&s, PTHREAD_PROCESS_PRIVATE);
	pthread_spin_lock(&s);
	pthread_spin_lock(&s); /* AGAIN */
	return 0;
}
