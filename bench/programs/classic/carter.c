/*
 * Carter: the first of each group to come takes a lock for its group, and the last to go gives it back. Bad: both groups count
 * under one lock, which the first of the other group keeps while it waits; so nobody can go. Good: each group
 * counts under a lock of its own.
 */
#include "classic.h"

static pthread_mutex_t room = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t counting[2] = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER };

static void *work(void *arg)
{
	pthread_mutex_t *mine = &counting[is_bad ? 0 : (long)arg % 2];

	/* One of each group is enough: it is the first to come and the last to go. */
	pthread_mutex_lock(mine);
	pthread_mutex_lock(&room);
	pthread_mutex_unlock(mine);
	pthread_mutex_lock(mine);
	pthread_mutex_unlock(&room);
	pthread_mutex_unlock(mine);
	return NULL;
}

int main(int argc, char **argv)
{
	read_arguments(argc, argv, 2, 2, 2);
	run_threads(size, work);
	return 0;
}
