/*
 * Three stages with a slot between each two, full or empty.
 *
 * EXPECT: none
 */
#include <pthread.h>
#include <stdio.h>

struct slot {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	int full, value;
};

static struct slot slot[2] = {
	{ PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, 0 },
	{ PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, 0 },
};

static void put(struct slot *s, int value)
{
	pthread_mutex_lock(&s->lock);
	while (s->full)
		pthread_cond_wait(&s->changed, &s->lock);
	s->value = value;
	s->full = 1;
	pthread_cond_broadcast(&s->changed);
	pthread_mutex_unlock(&s->lock);
}

static int get(struct slot *s)
{
	int v;

	pthread_mutex_lock(&s->lock);
	while (!s->full)
		pthread_cond_wait(&s->changed, &s->lock);
	v = s->value;
	s->full = 0;
	pthread_cond_broadcast(&s->changed);
	pthread_mutex_unlock(&s->lock);
	return v;
}

static void *first(void *arg)
{
	for (int i = 1; i <= 4; i++)
		put(&slot[0], i);
	return arg;
}

static void *second(void *arg)
{
	for (int i = 0; i < 4; i++)
		put(&slot[1], get(&slot[0]) * 2);
	return arg;
}

int main(void)
{
	pthread_t a, b;
	int sum = 0;

	pthread_create(&a, NULL, first, NULL);
	pthread_create(&b, NULL, second, NULL);
	for (int i = 0; i < 4; i++)
		sum += get(&slot[1]);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	printf("%d\n", sum);
	return 0;
}
