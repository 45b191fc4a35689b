/*
 * The emptiness of a queue is judged by its ends, read in two sections; a writer moves both.
 * GOOD: in one.
 *
 * EXPECT: extended-race q.head q.tail
 */
#include <pthread.h>
#include <stdio.h>

struct queue {
	pthread_mutex_t lock;
	unsigned head, tail;
};

static struct queue q = { PTHREAD_MUTEX_INITIALIZER, 0, 0 };

static unsigned head(struct queue *x)
{
	unsigned v;

	pthread_mutex_lock(&x->lock);
	v = x->head;
	pthread_mutex_unlock(&x->lock);
	return v;
}

static unsigned tail(struct queue *x)
{
	unsigned v;

	pthread_mutex_lock(&x->lock);
	v = x->tail;
	pthread_mutex_unlock(&x->lock);
	return v;
}

static int is_empty(struct queue *x)
{
#ifdef GOOD
	int e;

	pthread_mutex_lock(&x->lock);
	e = x->head == x->tail;
	pthread_mutex_unlock(&x->lock);
	return e;
#else
	return head(x) == tail(x);
#endif
}

static void *watch(void *arg)
{
	int empty = 0;

	for (int i = 0; i < 3; i++) {
		if (is_empty(arg))
			empty++;
	}
	printf("%d\n", empty);
	return NULL;
}

static void *cycle(void *arg)
{
	struct queue *x = arg;

	for (unsigned i = 0; i < 3; i++) {
		pthread_mutex_lock(&x->lock);
		x->head += 2;
		x->tail += 2;
		pthread_mutex_unlock(&x->lock);
	}
	return NULL;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, watch, &q);
	pthread_create(&b, NULL, cycle, &q);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
