/*
 * SQLite 1672: sqlite3UnixEnterMutex: the owner is recorded in two variables; recursion is tested
 * without the lock held right: a thread takes the mutex twice and waits for itself. Here: two
 * locks in two orders.
 *
 * FAILS: deadlock
 * CAUSE: mutex 'master'|mutex 'aux'
 * REMEDY: taking|a new lock|none
 */
#include <pthread.h>
static pthread_mutex_t master = PTHREAD_MUTEX_INITIALIZER, aux = PTHREAD_MUTEX_INITIALIZER;
static int in, locks;
static void enter(void)
{
	pthread_mutex_lock(&aux);
	pthread_mutex_lock(&master);
	in++;
	pthread_mutex_unlock(&aux);
}
static void leave(void)
{
#ifdef FIXED
	in--;
	pthread_mutex_unlock(&master);
#else
	pthread_mutex_lock(&aux);
	in--;
	pthread_mutex_unlock(&master);
	pthread_mutex_unlock(&aux);
#endif
}
static void *w(void *a)
{
	enter();
	locks++;
	leave();
	return a;
}
int main(void)
{
	pthread_t t[2];
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, w, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	return locks != 2;
}
