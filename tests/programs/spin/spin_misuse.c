/*
 * A spin lock is unlocked when free, unlocked by the wrong thread, and destroyed
 * while locked.
 *
 * RUN: run --seed 1..20
 * EXPECT: misuse unlock of a spin lock that is not locked @main:FREE
 * EXPECT: misuse unlock of a spin lock that T1 locked @thief:STOLEN
 * EXPECT: misuse destruction of a spin lock @main:DESTROY
 * EXIT: 0
 */
#include "../program.h"

static pthread_spinlock_t s;

static void *thief(void *arg)
{
	pthread_spin_unlock(&s); /* STOLEN */
	return NULL;
}

int main(void)
{
	pthread_spin_init(&s, PTHREAD_PROCESS_PRIVATE);
	pthread_spin_unlock(&s); /* FREE */
	pthread_spin_lock(&s);
	finish(start(thief, NULL));
	pthread_spin_lock(&s);
	pthread_spin_destroy(&s); /* DESTROY */
	return 0;
}
