/*
 * Two stages: N - 1 threads set one variable, then another that is made of it, each under its own
 * lock; a reader that sees the first expects the second. Bad: between the two critical sections it
 * sees the first alone. Good: the second stage is done before the first lock is given back.
 */
#include "classic.h"

static pthread_mutex_t first_lock = PTHREAD_MUTEX_INITIALIZER,
		       second_lock = PTHREAD_MUTEX_INITIALIZER;
static int first, second;

static void second_stage(int value)
{
	pthread_mutex_lock(&second_lock);
	second = value + 1;
	pthread_mutex_unlock(&second_lock);
}

static void *set(void)
{
	pthread_mutex_lock(&first_lock);
	first = 1;
	if (!is_bad)
		second_stage(1);
	pthread_mutex_unlock(&first_lock);
	if (is_bad)
		second_stage(1);
	return NULL;
}

static void *look(void)
{
	int x, y;

	pthread_mutex_lock(&first_lock);
	x = first;
	pthread_mutex_unlock(&first_lock);
	if (!x)
		return NULL;
	pthread_mutex_lock(&second_lock);
	y = second;
	pthread_mutex_unlock(&second_lock);
	assert(y == x + 1);
	return NULL;
}

static void *work(void *arg)
{
	return (long)arg == size - 1 ? look() : set();
}

int main(int argc, char **argv)
{
	read_arguments(argc, argv, 2, 2, 20);
	run_threads(size, work);
	return 0;
}
