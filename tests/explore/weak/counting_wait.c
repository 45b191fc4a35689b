/* A loop that waits and counts its rounds in memory: it is never in the same state, so it is not known to wait. */
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int flag;
static unsigned rounds;

static void *wait_for_flag(void *arg)
{
	while (!atomic_load_explicit(&flag, memory_order_acquire))
		rounds++;
	return arg;
}

static void *set_flag(void *arg)
{
	atomic_store_explicit(&flag, 1, memory_order_release);
	return arg;
}

int main(void)
{
	pthread_t waits, sets;

	pthread_create(&waits, NULL, wait_for_flag, NULL);
	pthread_create(&sets, NULL, set_flag, NULL);
	pthread_join(waits, NULL);
	pthread_join(sets, NULL);
	return 0;
}
