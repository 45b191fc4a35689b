/*
 * Reorder: N - 1 threads set two variables one after the other, one thread looks at both. Bad: it may
 * come in between and see the first alone. Good: both are set and seen under a lock.
 */
#include "classic.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int a, b;

static void *set(void)
{
	if (!is_bad)
		pthread_mutex_lock(&lock);
	atomic_store(&a, 1);
	atomic_store(&b, -1);
	if (!is_bad)
		pthread_mutex_unlock(&lock);
	return NULL;
}

static void *look(void)
{
	int x, y;

	if (!is_bad)
		pthread_mutex_lock(&lock);
	x = atomic_load(&a);
	y = atomic_load(&b);
	if (!is_bad)
		pthread_mutex_unlock(&lock);
	assert((x == 0 && y == 0) || (x == 1 && y == -1));
	return NULL;
}

static void *work(void *arg)
{
	return (long)arg == size - 1 ? look() : set();
}

int main(int argc, char **argv)
{
	read_arguments(argc, argv, 3, 2, 101);
	run_threads(size, work);
	return 0;
}
