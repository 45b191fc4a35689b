/*
 * A list with a lock in each node, gone through hand over hand.
 *
 * EXPECT: none
 */
#include <pthread.h>
#include <stdlib.h>

struct node {
	pthread_mutex_t lock;
	struct node *next;
	int value;
};

static struct node *make(int value, struct node *next)
{
	struct node *n = malloc(sizeof(*n));

	pthread_mutex_init(&n->lock, NULL);
	n->value = value;
	n->next = next;
	return n;
}

static struct node *head;

static void add_to_all(int by)
{
	struct node *n = head;

	pthread_mutex_lock(&n->lock);
	while (n->next) {
		struct node *next = n->next;

		pthread_mutex_lock(&next->lock);
		next->value += by;
		pthread_mutex_unlock(&n->lock);
		n = next;
	}
	pthread_mutex_unlock(&n->lock);
}

static void *worker(void *arg)
{
	add_to_all(*(int *)arg);
	return NULL;
}

int main(void)
{
	pthread_t t[2];
	int by[2] = { 1, 10 };

	head = make(0, make(1, make(2, NULL)));
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, worker, &by[i]);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	while (head) {
		struct node *n = head;

		head = n->next;
		free(n);
	}
	return 0;
}
