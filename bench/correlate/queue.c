/* Two threads give items to two others through a list: locks, condition variables, the heap. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct item {
	int value;
	struct item *next;
};

static struct item *head;
static int done;
static long sum;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t more = PTHREAD_COND_INITIALIZER;

static void *produce(void *arg)
{
	for (int i = 0; i < 20000; i++) {
		struct item *it = malloc(sizeof(*it));

		it->value = i;
		pthread_mutex_lock(&lock);
		it->next = head;
		head = it;
		pthread_cond_signal(&more);
		pthread_mutex_unlock(&lock);
	}
	pthread_mutex_lock(&lock);
	done++;
	pthread_cond_broadcast(&more);
	pthread_mutex_unlock(&lock);
	return arg;
}

static struct item *take(void)
{
	struct item *it;

	pthread_mutex_lock(&lock);
	while (!head && done < 2)
		pthread_cond_wait(&more, &lock);
	it = head;
	if (it)
		head = it->next;
	pthread_mutex_unlock(&lock);
	return it;
}

static void *consume(void *arg)
{
	struct item *it;
	long mine = 0;

	while ((it = take())) {
		mine += it->value;
		free(it);
	}
	pthread_mutex_lock(&lock);
	sum += mine;
	pthread_mutex_unlock(&lock);
	return arg;
}

int main(void)
{
	pthread_t t[4];

	for (int i = 0; i < 4; i++)
		pthread_create(&t[i], NULL, i < 2 ? produce : consume, NULL);
	for (int i = 0; i < 4; i++)
		pthread_join(t[i], NULL);
	printf("%ld\n", sum);
	return 0;
}
