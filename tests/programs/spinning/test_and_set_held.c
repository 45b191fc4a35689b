/*
 * The same lock, whose owner waits for the one that spins.
 *
 * RUN: run --seed 1..5
 * EXPECT: livelock @spins
 */
#include "../program.h"
#include <stdatomic.h>

static atomic_flag lock = ATOMIC_FLAG_INIT;

static void *spins(void *arg)
{
	while (atomic_flag_test_and_set(&lock))
		;
	return NULL;
}

int main(void)
{
	atomic_flag_test_and_set(&lock);
	finish(start(spins, NULL));
	return 0;
}
