/*
 * Wake-ups that may get lost, where no ordinary run loses them.
 *
 * Without a definition: main looks at `done` under the mutex, and the worker sets it without. A signal
 * between the look and the wait reaches nobody. It is sent late, so no few random orders come to that.
 * GOOD: the worker sets it under the mutex.
 * TWO: two threads wait for different things with one condition variable, and signals reach one of
 * them. TWO and GOOD: both are woken.
 */
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

#ifndef TWO
static atomic_int done;

static void *work(void *arg)
{
	for (int i = 0; i < 30; i++) {
		pthread_mutex_lock(&other);
		pthread_mutex_unlock(&other);
	}
#ifdef GOOD
	pthread_mutex_lock(&lock);
	atomic_store(&done, 1);
	pthread_mutex_unlock(&lock);
#else
	atomic_store(&done, 1);
#endif
	pthread_cond_signal(&changed);
	return arg;
}

int main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, work, NULL);
	pthread_mutex_lock(&lock);
	while (!atomic_load(&done))
		pthread_cond_wait(&changed, &lock);
	pthread_mutex_unlock(&lock);
	pthread_join(thread, NULL);
	return 0;
}
#else
static int eggs, flour;

static void *wait_for_eggs(void *arg)
{
	pthread_mutex_lock(&lock);
	while (!eggs)
		pthread_cond_wait(&changed, &lock); /* EGGS */
	pthread_mutex_unlock(&lock);
	return arg;
}

static void *wait_for_flour(void *arg)
{
	pthread_mutex_lock(&lock);
	while (!flour)
		pthread_cond_wait(&changed, &lock); /* FLOUR */
	pthread_mutex_unlock(&lock);
	return arg;
}

static void bring(int *what)
{
	pthread_mutex_lock(&lock);
	*what = 1;
#ifdef GOOD
	pthread_cond_broadcast(&changed);
#else
	pthread_cond_signal(&changed);
#endif
	pthread_mutex_unlock(&lock);
}

int main(void)
{
	pthread_t first, second;

	pthread_create(&first, NULL, wait_for_eggs, NULL);
	pthread_create(&second, NULL, wait_for_flour, NULL);
	for (int i = 0; i < 30; i++) {
		pthread_mutex_lock(&other);
		pthread_mutex_unlock(&other);
	}
	bring(&eggs);
	bring(&flour);
	pthread_join(first, NULL);
	pthread_join(second, NULL);
	return 0;
}
#endif
