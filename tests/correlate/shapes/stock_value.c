/*
 * The quantity is read, the value of the stock computed without the lock and stored in a
 * later section; a delivery changes both. GOOD: one section.
 *
 * EXPECT: extended-race store.quantity store.value
 */
#include <pthread.h>
#include <stdio.h>

static struct {
	pthread_mutex_t guard;
	int quantity;
	int value;
} store = { PTHREAD_MUTEX_INITIALIZER, 10, 70 };

static void *appraise(void *arg)
{
	int price = *(int *)arg, q;

	pthread_mutex_lock(&store.guard);
	q = store.quantity;
#ifndef GOOD
	pthread_mutex_unlock(&store.guard);
	pthread_mutex_lock(&store.guard);
#endif
	store.value = q * price;
	pthread_mutex_unlock(&store.guard);
	return NULL;
}

static void *deliver(void *arg)
{
	pthread_mutex_lock(&store.guard);
	store.quantity += 5;
	store.value = store.quantity * *(int *)arg;
	pthread_mutex_unlock(&store.guard);
	return NULL;
}

int main(void)
{
	pthread_t t[2];
	int price = 7;

	pthread_create(&t[0], NULL, appraise, &price);
	pthread_create(&t[1], NULL, deliver, &price);
	pthread_join(t[0], NULL);
	pthread_join(t[1], NULL);
	printf("%d\n", store.value);
	return 0;
}
