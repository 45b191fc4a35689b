/*
 * pbzip2 0.9.4: main frees the queue and its mutex while the consumers may still use them.
 *
 * FAILS: misuse|memory
 * CAUSE: queue|allocated at
 * REMEDY: none
 */
#include <pthread.h>
#include <stdlib.h>
struct queue {
	pthread_mutex_t *mut;
	pthread_cond_t *notEmpty;
	int items, done;
};
static struct queue *fifo;
static pthread_mutex_t m2 = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c2 = PTHREAD_COND_INITIALIZER;
static int blocks;
static void *consumer(void *a)
{
	for (;;) {
		pthread_mutex_lock(fifo->mut);
		while (!fifo->items && !fifo->done)
			pthread_cond_wait(fifo->notEmpty, fifo->mut);
		if (!fifo->items) {
			pthread_mutex_unlock(fifo->mut);
			return a;
		}
		fifo->items--;
		pthread_mutex_unlock(fifo->mut);
		pthread_mutex_lock(&m2);
		blocks++;
		pthread_cond_signal(&c2);
		pthread_mutex_unlock(&m2);
	}
}
int main(void)
{
	pthread_t t[2];
	fifo = calloc(1, sizeof(*fifo));
	fifo->mut = malloc(sizeof(pthread_mutex_t));
	fifo->notEmpty = malloc(sizeof(pthread_cond_t));
	pthread_mutex_init(fifo->mut, NULL);
	pthread_cond_init(fifo->notEmpty, NULL);
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, consumer, NULL);
	for (int i = 0; i < 2; i++) {
		pthread_mutex_lock(fifo->mut);
		fifo->items++;
		pthread_cond_signal(fifo->notEmpty);
		pthread_mutex_unlock(fifo->mut);
	}
	pthread_mutex_lock(fifo->mut);
	fifo->done = 1;
	pthread_cond_broadcast(fifo->notEmpty);
	pthread_mutex_unlock(fifo->mut);
	pthread_mutex_lock(&m2);
	while (blocks < 2)
		pthread_cond_wait(&c2, &m2);
	pthread_mutex_unlock(&m2);
#ifdef FIXED
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
#endif
	pthread_mutex_destroy(fifo->mut);
	free(fifo->mut);
	free(fifo->notEmpty);
	free(fifo);
#ifndef FIXED
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
#endif
	return 0;
}
