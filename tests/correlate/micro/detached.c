/*
 * A detached thread and main count without a lock. GOOD: with one.
 *
 * EXPECT: race x
 */

#include <pthread.h>
#include <semaphore.h>

static volatile int x;
static sem_t done;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void count(void)
{
#ifdef GOOD
	pthread_mutex_lock(&m);
#endif
	x++;
#ifdef GOOD
	pthread_mutex_unlock(&m);
#endif
}

static void *work(void *arg)
{
	count();
	sem_post(&done);
	return arg;
}

int main(void)
{
	pthread_t t;

	sem_init(&done, 0, 0);
	pthread_create(&t, NULL, work, NULL);
	pthread_detach(t);
	count();
	sem_wait(&done);
	return 0;
}
