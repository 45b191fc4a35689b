/* Two producers, two consumers, and nothing may get lost. */
#include "queue.h"

#include <assert.h>
#include <stddef.h>

#define EACH 1

static struct queue queue = QUEUE_INIT;
static pthread_mutex_t sum_lock = PTHREAD_MUTEX_INITIALIZER;
static int sum;

static void *produce(void *unused)
{
	(void)unused;
	for (int i = 1; i <= EACH; i++)
		queue_put(&queue, i);
	return NULL;
}

static void *consume(void *unused)
{
	(void)unused;
	for (int i = 0; i < EACH; i++) {
		int item = queue_get(&queue);

		pthread_mutex_lock(&sum_lock);
		sum += item;
		pthread_mutex_unlock(&sum_lock);
	}
	return NULL;
}

int main(void)
{
	pthread_t t[4];

	for (int i = 0; i < 4; i++)
		pthread_create(&t[i], NULL, i % 2 ? consume : produce, NULL);
	for (int i = 0; i < 4; i++)
		pthread_join(t[i], NULL);
	assert(sum == EACH * (EACH + 1));
	return 0;
}
