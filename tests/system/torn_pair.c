/*
 * Two plain variables that one thread writes and another reads, in the other order, without any
 * lock. What the assertion forbids comes about only if the writer runs between the two reads: at
 * no synchronisation, but between racing accesses. With the argument "locked" both are
 * under a mutex.
 *
 * EXPECT of heddle explore --keep-going: races on both, and the assertion. Locked: nothing.
 */
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int locked, first, second;

static void *writer(void *arg)
{
	if (locked)
		pthread_mutex_lock(&lock);
	first = 1;
	second = 1;
	if (locked)
		pthread_mutex_unlock(&lock);
	return arg;
}

static void *reader(void *arg)
{
	int before, after;

	if (locked)
		pthread_mutex_lock(&lock);
	before = second;
	after = first;
	if (locked)
		pthread_mutex_unlock(&lock);
	assert(before || !after);
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t a, b;

	(void)argv;
	locked = argc > 1;
	pthread_create(&a, NULL, writer, NULL);
	pthread_create(&b, NULL, reader, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
