/*
 * OpenLDAP: the cache's lock and an entry's lock are taken in two orders; one side tries and
 * begins anew.
 *
 * FAILS: deadlock
 * CAUSE: mutex 'cache'|mutex 'entry'
 * REMEDY: taking|a new lock
 */
#include <pthread.h>
static pthread_mutex_t cache = PTHREAD_MUTEX_INITIALIZER, entry = PTHREAD_MUTEX_INITIALIZER;
static int used;
static void *lookup(void *a)
{
	pthread_mutex_lock(&cache);
	pthread_mutex_lock(&entry);
	used++;
	pthread_mutex_unlock(&entry);
	pthread_mutex_unlock(&cache);
	return a;
}
static void *unlink_(void *a)
{
#ifdef FIXED
	for (;;) {
		pthread_mutex_lock(&entry);
		if (!pthread_mutex_trylock(&cache))
			break;
		pthread_mutex_unlock(&entry);
	}
	used--;
	pthread_mutex_unlock(&cache);
	pthread_mutex_unlock(&entry);
#else
	pthread_mutex_lock(&entry);
	pthread_mutex_lock(&cache);
	used--;
	pthread_mutex_unlock(&cache);
	pthread_mutex_unlock(&entry);
#endif
	return a;
}
int main(void)
{
	pthread_t t[2];
	pthread_create(&t[0], NULL, lookup, NULL);
	pthread_create(&t[1], NULL, unlink_, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	return 0;
}
