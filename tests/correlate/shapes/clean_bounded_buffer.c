/*
 * A ring with two conditions.
 *
 * EXPECT: none
 */
#include <pthread.h>
#include <stdio.h>

#define ROOM 3
#define ITEMS 12

static int ring[ROOM], head, tail, used;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t not_full = PTHREAD_COND_INITIALIZER, not_empty = PTHREAD_COND_INITIALIZER;

static void *produce(void *arg)
{
	for (int i = 0; i < ITEMS; i++) {
		pthread_mutex_lock(&lock);
		while (used == ROOM)
			pthread_cond_wait(&not_full, &lock);
		ring[tail] = i;
		tail = (tail + 1) % ROOM;
		used++;
		pthread_cond_signal(&not_empty);
		pthread_mutex_unlock(&lock);
	}
	return arg;
}

static void *consume(void *arg)
{
	int sum = 0;

	for (int i = 0; i < ITEMS; i++) {
		pthread_mutex_lock(&lock);
		while (!used)
			pthread_cond_wait(&not_empty, &lock);
		sum += ring[head];
		head = (head + 1) % ROOM;
		used--;
		pthread_cond_signal(&not_full);
		pthread_mutex_unlock(&lock);
	}
	printf("%d\n", sum);
	return arg;
}

int main(void)
{
	pthread_t p, c;

	pthread_create(&p, NULL, produce, NULL);
	pthread_create(&c, NULL, consume, NULL);
	pthread_join(p, NULL);
	pthread_join(c, NULL);
	return 0;
}
