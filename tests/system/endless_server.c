/*
 * A server that never ends: main makes requests for ever, three workers count them. With -DTORN the counter is
 * read and written back in two critical sections, and the fourth request notices that one was lost. With
 * -DWHOLE it is one section.
 */
#include <assert.h>
#include <pthread.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t waiting = PTHREAD_COND_INITIALIZER;
static int requests, done, balance;

static void count(void)
{
#ifdef TORN
	pthread_mutex_lock(&lock);
	int now = balance;
	pthread_mutex_unlock(&lock);
	pthread_mutex_lock(&lock);
	balance = now + 1;
	pthread_mutex_unlock(&lock);
#else
	pthread_mutex_lock(&lock);
	balance++;
	pthread_mutex_unlock(&lock);
#endif
}

static void *serve(void *unused)
{
	for (;;) {
		pthread_mutex_lock(&lock);
		while (requests == 0)
			pthread_cond_wait(&waiting, &lock);
		requests--;
		pthread_mutex_unlock(&lock);
		count();
		pthread_mutex_lock(&lock);
		if (++done == 4)
			assert(balance >= 4);
		pthread_mutex_unlock(&lock);
	}
	return unused;
}

int main(void)
{
	pthread_t worker;

	for (int i = 0; i < 3; i++)
		pthread_create(&worker, NULL, serve, NULL);
	for (;;) {
		pthread_mutex_lock(&lock);
		requests++;
		pthread_cond_signal(&waiting);
		pthread_mutex_unlock(&lock);
		usleep(1000);
	}
}
