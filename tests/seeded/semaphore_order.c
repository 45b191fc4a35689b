/*
 * Two semaphores, used as locks, in both orders.
 *
 * FAILS: deadlock
 * CAUSE: semaphore 'a'|semaphore 'b'
 * REMEDY: taking|a new lock
 */
#include <pthread.h>
#include <semaphore.h>

static sem_t a, b;
static int n;

static void *one(void *x)
{
	sem_wait(&a);
	sem_wait(&b);
	n++;
	sem_post(&b);
	sem_post(&a);
	return x;
}

static void *two(void *x)
{
#ifdef FIXED
	sem_wait(&a);
	sem_wait(&b);
#else
	sem_wait(&b);
	sem_wait(&a);
#endif
	n++;
	sem_post(&a);
	sem_post(&b);
	return x;
}

int main(void)
{
	sem_init(&a, 0, 1);
	sem_init(&b, 0, 1);
	pthread_t s, t;
	pthread_create(&s, 0, one, 0);
	pthread_create(&t, 0, two, 0);
	pthread_join(s, 0);
	pthread_join(t, 0);
	return n != 2;
}
