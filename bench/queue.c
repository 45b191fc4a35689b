/*
 * A bounded queue with two condition variables: one producer, one consumer.
 *
 *   queue [ITEMS]      prints the sum of what went through
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define ROOM 64u

static struct {
	pthread_mutex_t lock;
	pthread_cond_t not_full, not_empty;
	uint64_t items[ROOM];
	size_t first, count;
} queue = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, PTHREAD_COND_INITIALIZER,
	    { 0 }, 0, 0 };

static size_t total;

static void *produce(void *unused)
{
	(void)unused;
	for (size_t i = 0; i < total; i++) {
		pthread_mutex_lock(&queue.lock);
		while (queue.count == ROOM)
			pthread_cond_wait(&queue.not_full, &queue.lock);
		queue.items[(queue.first + queue.count++) % ROOM] = i;
		pthread_cond_signal(&queue.not_empty);
		pthread_mutex_unlock(&queue.lock);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t producer;
	uint64_t sum = 0;

	total = argc > 1 ? strtoull(argv[1], NULL, 10) : 300000;
	pthread_create(&producer, NULL, produce, NULL);
	for (size_t i = 0; i < total; i++) {
		pthread_mutex_lock(&queue.lock);
		while (queue.count == 0)
			pthread_cond_wait(&queue.not_empty, &queue.lock);
		sum += queue.items[queue.first];
		queue.first = (queue.first + 1) % ROOM;
		queue.count--;
		pthread_cond_signal(&queue.not_full);
		pthread_mutex_unlock(&queue.lock);
	}
	pthread_join(producer, NULL);
	printf("%llu\n", (unsigned long long)sum);
	return 0;
}
