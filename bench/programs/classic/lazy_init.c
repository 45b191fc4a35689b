/*
 * Lazy initialisation: N threads use an object that the first one makes, and look twice whether it
 * is there, the second time under the lock. Bad: it is said to be there before it is complete. Good:
 * after.
 */
#include "classic.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int ready, value;

static void make(void)
{
	if (is_bad)
		atomic_store(&ready, 1);
	atomic_store(&value, 42);
	if (!is_bad)
		atomic_store(&ready, 1);
}

static void *work(void *arg)
{
	(void)arg;
	if (!atomic_load(&ready)) {
		pthread_mutex_lock(&lock);
		if (!atomic_load(&ready))
			make();
		pthread_mutex_unlock(&lock);
	}
	assert(atomic_load(&value) == 42);
	return NULL;
}

int main(int argc, char **argv)
{
	read_arguments(argc, argv, 2, 2, 20);
	run_threads(size, work);
	return 0;
}
