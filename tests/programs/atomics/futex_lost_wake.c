/*
 * The waiter sleeps on a value that it did not check again, so a wake-up can be lost.
 *
 * RUN: run
 * EXPECT: deadlock @main within 30 seeds
 */
#include "../program.h"
#include <linux/futex.h>
#include <sys/syscall.h>

static int flag, word;

static void *wake(void *arg)
{
	__atomic_store_n(&flag, 1, __ATOMIC_SEQ_CST);
	syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
	return NULL;
}

int main(void)
{
	pthread_t t = start(wake, NULL);

	while (!__atomic_load_n(&flag, __ATOMIC_SEQ_CST))
		syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0);
	finish(t);
	return 0;
}
