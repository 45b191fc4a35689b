/*
 * Objects are moved between two shelves with both locks held, the one with the lower address taken first.
 *
 * EXPECT: none
 */
#include <pthread.h>
#include <stdio.h>

struct shelf {
	pthread_mutex_t lock;
	int items[64];
	int count;
};

static struct shelf left = { .lock = PTHREAD_MUTEX_INITIALIZER, .count = 20 };
static struct shelf right = { .lock = PTHREAD_MUTEX_INITIALIZER, .count = 20 };

static void move(struct shelf *from, struct shelf *to)
{
	struct shelf *first = from < to ? from : to, *second = from < to ? to : from;

	pthread_mutex_lock(&first->lock);
	pthread_mutex_lock(&second->lock);
	if (from->count > 0)
		to->items[to->count++] = from->items[--from->count];
	pthread_mutex_unlock(&second->lock);
	pthread_mutex_unlock(&first->lock);
}

static void *to_right(void *arg)
{
	for (int i = 0; i < 15; i++)
		move(&left, &right);
	return arg;
}

static void *to_left(void *arg)
{
	for (int i = 0; i < 15; i++)
		move(&right, &left);
	return arg;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, to_right, NULL);
	pthread_create(&b, NULL, to_left, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	printf("%d\n", left.count + right.count);
	return 0;
}
