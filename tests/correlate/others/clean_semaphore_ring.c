/*
 * A ring between one producer and one consumer: semaphores count free and filled slots, each side has an index of its
 * own, and no lock is needed.
 *
 * EXPECT: none
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>

#define SLOTS 4

static int ring[SLOTS];
static sem_t room, filled;

static void *producer(void *arg)
{
	unsigned in = 0;

	for (int i = 1; i <= 12; i++) {
		sem_wait(&room);
		ring[in++ % SLOTS] = i;
		sem_post(&filled);
	}
	return arg;
}

static void *consumer(void *arg)
{
	unsigned out = 0;
	long sum = 0;

	for (int i = 1; i <= 12; i++) {
		sem_wait(&filled);
		sum += ring[out++ % SLOTS];
		sem_post(&room);
	}
	printf("%ld\n", sum);
	return arg;
}

int main(void)
{
	pthread_t a, b;

	sem_init(&room, 0, SLOTS);
	sem_init(&filled, 0, 0);
	pthread_create(&a, NULL, producer, NULL);
	pthread_create(&b, NULL, consumer, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
