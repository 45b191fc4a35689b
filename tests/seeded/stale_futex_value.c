/*
 * A semaphore made of a counter and a futex. The waiter goes to sleep on the value that the counter had before it
 * tried to take one. If it was taken and given back in between, the counter has that value again, and the wake-up
 * came before the sleep.
 *
 * FAILS: deadlock
 * CAUSE: count
 * REMEDY: none
 */
#include <assert.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

static atomic_int count = 1;
static int entered;

static int try_to_take(void)
{
	int seen = atomic_load(&count);

	return seen && atomic_compare_exchange_strong(&count, &seen, seen - 1);
}

static void take(void)
{
	for (;;) {
		int seen = atomic_load(&count);

		if (try_to_take())
			return;
#ifdef FIXED
		seen = 0;
#endif
		syscall(SYS_futex, &count, FUTEX_WAIT_PRIVATE, seen, NULL, NULL, 0);
	}
}

static void give_back(void)
{
	if (atomic_fetch_add(&count, 1) == 0)
		syscall(SYS_futex, &count, FUTEX_WAKE_PRIVATE, 1000, NULL, NULL, 0);
}

static void *enter(void *arg)
{
	take();
	entered++;
	give_back();
	return arg;
}

int main(void)
{
	pthread_t t[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, enter, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	assert(entered == 2);
	return 0;
}
