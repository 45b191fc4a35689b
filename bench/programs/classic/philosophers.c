/*
 * Dining philosophers: N of them, each takes the fork on the left, then the one on the right.
 * Bad: all in the same direction, so that each may wait for the next one (deadlock). Good: the last one
 * takes them in the other order.
 */
#include "classic.h"

static pthread_mutex_t forks[MAX_THREADS];
static int meals[MAX_THREADS];

static void *dine(void *arg)
{
	int left = (int)(long)arg, right = (left + 1) % size;

	if (!is_bad && left > right) {
		left = right;
		right = size - 1;
	}
	pthread_mutex_lock(&forks[left]);
	pthread_mutex_lock(&forks[right]);
	meals[(long)arg] = 1;
	pthread_mutex_unlock(&forks[right]);
	pthread_mutex_unlock(&forks[left]);
	return NULL;
}

int main(int argc, char **argv)
{
	read_arguments(argc, argv, 3, 2, 20);
	for (int i = 0; i < size; i++)
		pthread_mutex_init(&forks[i], NULL);
	run_threads(size, dine);
	for (int i = 0; i < size; i++)
		assert(meals[i]);
	return 0;
}
