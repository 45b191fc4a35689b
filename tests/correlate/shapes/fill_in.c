/*
 * Members of a node are filled in through a pointer in two sections; a reader adds them up.
 * GOOD: in one.
 *
 * EXPECT: extended-race heap
 */
#include <pthread.h>
#include <stdlib.h>

struct node {
	int x, y;
	pthread_mutex_t lock;
};

static void place(struct node *n, int x, int y)
{
	pthread_mutex_lock(&n->lock);
	n->x = x;
#ifndef GOOD
	pthread_mutex_unlock(&n->lock);
	pthread_mutex_lock(&n->lock);
#endif
	n->y = y;
	pthread_mutex_unlock(&n->lock);
}

static void *mover(void *arg)
{
	for (int i = 1; i < 4; i++)
		place(arg, i, -i);
	return NULL;
}

static void *viewer(void *arg)
{
	struct node *n = arg;
	int sum;

	pthread_mutex_lock(&n->lock);
	sum = n->x + n->y;
	pthread_mutex_unlock(&n->lock);
	return sum ? arg : NULL;
}

int main(void)
{
	struct node *n = calloc(1, sizeof(*n));
	pthread_t a, b;

	pthread_mutex_init(&n->lock, NULL);
	pthread_create(&a, NULL, mover, n);
	pthread_create(&b, NULL, viewer, n);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	free(n);
	return 0;
}
