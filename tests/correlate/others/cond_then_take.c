/*
 * A consumer waits for an item in one function and takes it in another, each with the lock; there are two
 * consumers, so the item may be gone. GOOD: waits and takes in one section.
 *
 * EXPECT: extended-race box.count
 * PART
 * MISSED: -O0 -O2
 */
#include <pthread.h>
#include <stdio.h>

static struct {
	pthread_mutex_t lock;
	pthread_cond_t filled;
	int count;
	int item[8];
} box = { .lock = PTHREAD_MUTEX_INITIALIZER, .filled = PTHREAD_COND_INITIALIZER };

static void wait_for_item(void)
{
	pthread_mutex_lock(&box.lock);
	while (box.count == 0)
		pthread_cond_wait(&box.filled, &box.lock);
	pthread_mutex_unlock(&box.lock);
}

static int take(void)
{
	int v;

	pthread_mutex_lock(&box.lock);
	v = box.item[--box.count];
	pthread_mutex_unlock(&box.lock);
	return v;
}

static int wait_and_take(void)
{
	int v;

	pthread_mutex_lock(&box.lock);
	while (box.count == 0)
		pthread_cond_wait(&box.filled, &box.lock);
	v = box.item[--box.count];
	pthread_mutex_unlock(&box.lock);
	return v;
}

static void *consumer(void *arg)
{
	int *sum = arg;

	for (int i = 0; i < 3; i++) {
#ifdef GOOD
		*sum += wait_and_take();
#else
		wait_for_item();
		*sum += take();
#endif
	}
	return NULL;
}

static void *producer(void *arg)
{
	for (int i = 1; i <= 6; i++) {
		pthread_mutex_lock(&box.lock);
		box.item[box.count++] = i;
		pthread_cond_signal(&box.filled);
		pthread_mutex_unlock(&box.lock);
	}
	return arg;
}

int main(void)
{
	pthread_t t[3];
	int sum[2] = { 0, 0 };

	pthread_create(&t[2], NULL, producer, NULL);
	pthread_create(&t[0], NULL, consumer, &sum[0]);
	pthread_create(&t[1], NULL, consumer, &sum[1]);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	printf("%d\n", sum[0] + sum[1]);
	return 0;
}
