#include "queue.h"

void queue_put(struct queue *q, int item)
{
	pthread_mutex_lock(&q->lock);
	while (q->count == QUEUE_ROOM)
		pthread_cond_wait(&q->changed, &q->lock);
	q->items[(q->first + q->count++) % QUEUE_ROOM] = item;
#ifdef BROKEN
	pthread_cond_signal(&q->changed); /* may wake another producer, and nobody else */
#else
	pthread_cond_broadcast(&q->changed);
#endif
	pthread_mutex_unlock(&q->lock);
}

int queue_get(struct queue *q)
{
	int item;

	pthread_mutex_lock(&q->lock);
	while (!q->count)
		pthread_cond_wait(&q->changed, &q->lock);
	item = q->items[q->first];
	q->first = (q->first + 1) % QUEUE_ROOM;
	q->count--;
#ifdef BROKEN
	pthread_cond_signal(&q->changed);
#else
	pthread_cond_broadcast(&q->changed);
#endif
	pthread_mutex_unlock(&q->lock);
	return item;
}
