/*
 * The size of a queue is derived from the number of workers, which was read in an earlier section; a
 * reload sets both. GOOD: read and derived in one.
 *
 * EXPECT: extended-race config.workers config.queue
 */
#include <pthread.h>
#include <stdio.h>

struct config {
	pthread_mutex_t lock;
	int workers;
	int queue;
	char name[16];
};

static struct config config = { .lock = PTHREAD_MUTEX_INITIALIZER, .workers = 2, .queue = 8 };

static int workers_of(struct config *c)
{
	int n;

	pthread_mutex_lock(&c->lock);
	n = c->workers;
	pthread_mutex_unlock(&c->lock);
	return n;
}

static void *tune(void *arg)
{
	struct config *c = arg;
#ifdef GOOD
	pthread_mutex_lock(&c->lock);
	c->queue = c->workers * 4;
	pthread_mutex_unlock(&c->lock);
#else
	int n = workers_of(c);

	pthread_mutex_lock(&c->lock);
	c->queue = n * 4;
	pthread_mutex_unlock(&c->lock);
#endif
	return NULL;
}

static void *reload(void *arg)
{
	struct config *c = arg;

	pthread_mutex_lock(&c->lock);
	c->workers = 6;
	c->queue = 24;
	pthread_mutex_unlock(&c->lock);
	return NULL;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, tune, &config);
	pthread_create(&b, NULL, reload, &config);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	printf("%d workers, queue of %d\n", workers_of(&config), config.queue);
	return 0;
}
