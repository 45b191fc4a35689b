/*
 * Wrong lock: N - 1 threads count under a lock, and find what they wrote. Bad: one more counts under another lock,
 * so it may come in between. Good: all have the same lock.
 */
#include "classic.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;
static atomic_int value;

static void *count(void)
{
	int before;

	pthread_mutex_lock(&lock);
	before = atomic_load(&value);
	atomic_store(&value, before + 1);
	assert(atomic_load(&value) == before + 1);
	pthread_mutex_unlock(&lock);
	return NULL;
}

static void *work(void *arg)
{
	pthread_mutex_t *mine = is_bad ? &other : &lock;

	if ((long)arg < size - 1)
		return count();
	pthread_mutex_lock(mine);
	atomic_store(&value, atomic_load(&value) + 1);
	pthread_mutex_unlock(mine);
	return NULL;
}

int main(int argc, char **argv)
{
	read_arguments(argc, argv, 3, 2, 100);
	run_threads(size, work);
	return 0;
}
