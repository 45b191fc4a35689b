/*
 * Bounded buffer: N producers and N consumers share a buffer with room for one item, and one condition. Bad: whoever has changed
 * the buffer wakes one thread, which may be one that cannot go on either; then all wait. Good: it
 * wakes all of them.
 */
#include "classic.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int full;

static void change(int from, int to)
{
	pthread_mutex_lock(&lock);
	while (full != from)
		pthread_cond_wait(&changed, &lock);
	full = to;
	if (is_bad)
		pthread_cond_signal(&changed);
	else
		pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&lock);
}

static void *work(void *arg)
{
	if ((long)arg % 2)
		change(1, 0);
	else
		change(0, 1);
	return NULL;
}

int main(int argc, char **argv)
{
	read_arguments(argc, argv, 2, 2, 10);
	run_threads(2 * size, work);
	return 0;
}
