/*
 * A list without a lock: pushed to by compare and exchange, taken as a whole by an exchange.
 *
 * EXPECT: none
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

struct node {
	struct node *next;
	int value;
};

static _Atomic(struct node *) top;

static void *pusher(void *arg)
{
	for (int i = 1; i <= 20; i++) {
		struct node *n = malloc(sizeof(*n));

		n->value = i;
		n->next = atomic_load(&top);
		while (!atomic_compare_exchange_weak(&top, &n->next, n))
			;
	}
	return arg;
}

static long take_all(void)
{
	struct node *n = atomic_exchange(&top, NULL);
	long sum = 0;

	while (n) {
		struct node *next = n->next;

		sum += n->value;
		free(n);
		n = next;
	}
	return sum;
}

static void *taker(void *arg)
{
	long sum = 0;

	for (int i = 0; i < 20; i++)
		sum += take_all();
	*(long *)arg = sum;
	return NULL;
}

int main(void)
{
	pthread_t a, b;
	long sum = 0;

	pthread_create(&a, NULL, pusher, NULL);
	pthread_create(&b, NULL, taker, &sum);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	sum += take_all();
	printf("%ld\n", sum);
	return sum != 210;
}
