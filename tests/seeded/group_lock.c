/*
 * The first of a group takes the lock for all of it, with the counter's lock held, which the last one of the other group
 * needs to give it back.
 *
 * FAILS: deadlock
 * CAUSE: mutex 'm'|mutex 'room'
 * REMEDY: taking|a new lock|none
 */
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, room = PTHREAD_MUTEX_INITIALIZER;
static int inside[2], visits;

static void *visit(void *x)
{
	int *group = x;
#ifdef FIXED
	pthread_mutex_lock(&room);
	pthread_mutex_lock(&m);
	++*group;
#else
	pthread_mutex_lock(&m);
	if (++*group == 1)
		pthread_mutex_lock(&room);
#endif
	pthread_mutex_unlock(&m);
	visits++;
	pthread_mutex_lock(&m);
#ifdef FIXED
	--*group;
	pthread_mutex_unlock(&m);
	pthread_mutex_unlock(&room);
#else
	if (--*group == 0)
		pthread_mutex_unlock(&room);
	pthread_mutex_unlock(&m);
#endif
	return x;
}

int main(void)
{
	pthread_t s, t;
	pthread_create(&s, 0, visit, &inside[0]);
	pthread_create(&t, 0, visit, &inside[1]);
	pthread_join(s, 0);
	pthread_join(t, 0);
	return visits != 2;
}
