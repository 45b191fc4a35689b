/*
 * The consumer waits for a signal without looking first whether the item is there
 * already. If the producer is quicker, its signal reaches nobody, and the consumer
 * waits for ever. heddle reports that as a deadlock, at once.
 *
 *   heddle cc missed_signal.c -o missed_signal
 *   for seed in $(seq 50); do heddle run -q --seed $seed -- ./missed_signal || break; done
 */
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t ready = PTHREAD_COND_INITIALIZER;
static int item;

static void *producer(void *unused)
{
	(void)unused;
	pthread_mutex_lock(&lock);
	item = 42;
	pthread_cond_signal(&ready);
	pthread_mutex_unlock(&lock);
	return NULL;
}

static void *consumer(void *unused)
{
	(void)unused;
	pthread_mutex_lock(&lock);
	pthread_cond_wait(&ready, &lock); /* should be: while (!item) pthread_cond_wait(...) */
	pthread_mutex_unlock(&lock);
	return NULL;
}

int main(void)
{
	pthread_t p, c;

	pthread_create(&c, NULL, consumer, NULL);
	pthread_create(&p, NULL, producer, NULL);
	pthread_join(p, NULL);
	pthread_join(c, NULL);
	return 0;
}
