/* A bounded queue for several threads. */
#ifndef QUEUE_H
#define QUEUE_H

#include <pthread.h>

#define QUEUE_ROOM 1

struct queue {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	int items[QUEUE_ROOM];
	int first, count;
};

#define QUEUE_INIT { PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, { 0 }, 0, 0 }

void queue_put(struct queue *q, int item);
int queue_get(struct queue *q);

#endif
