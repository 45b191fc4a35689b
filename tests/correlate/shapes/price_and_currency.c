/*
 * A quotation is published in two sections, its price and its currency; a reader converts by both.
 * GOOD: in one.
 *
 * EXPECT: extended-race price currency
 */
#include <pthread.h>
#include <stdio.h>

static int price = 100, currency = 1;
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

static void *quote(void *arg)
{
	const int *q = arg;

	pthread_rwlock_wrlock(&lock);
	price = q[0];
#ifndef GOOD
	pthread_rwlock_unlock(&lock);
	pthread_rwlock_wrlock(&lock);
#endif
	currency = q[1];
	pthread_rwlock_unlock(&lock);
	return NULL;
}

static void *convert(void *arg)
{
	int euros;

	pthread_rwlock_rdlock(&lock);
	euros = price * currency;
	pthread_rwlock_unlock(&lock);
	printf("%d\n", euros);
	return arg;
}

int main(void)
{
	pthread_t a, b;
	int q[2] = { 50, 2 };

	pthread_create(&a, NULL, quote, q);
	pthread_create(&b, NULL, convert, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
