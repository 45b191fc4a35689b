/*
 * A recursive mutex: the outer function believes to hold it, but it lets it go before the second part.
 * Items and their total are changed in two sections; a report adds the items up and compares. GOOD: held
 * throughout.
 *
 * EXPECT: extended-race price total
 */
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t mutex;
static int price[3] = { 1, 2, 3 };
static int total = 6;
static int wrong;

static void set_price(int i, int p)
{
	pthread_mutex_lock(&mutex);
	price[i] = p;
	pthread_mutex_unlock(&mutex);
}

static void add_total(int change)
{
	pthread_mutex_lock(&mutex);
	total += change;
	pthread_mutex_unlock(&mutex);
}

static void raise_price(int i, int by)
{
	int old;

#ifdef GOOD
	pthread_mutex_lock(&mutex);
#endif
	pthread_mutex_lock(&mutex);
	old = price[i];
	pthread_mutex_unlock(&mutex);
	set_price(i, old + by);
	add_total(by);
#ifdef GOOD
	pthread_mutex_unlock(&mutex);
#endif
}

static void *shop(void *arg)
{
	for (int i = 0; i < 3; i++)
		raise_price(i, 10);
	return arg;
}

static void *report(void *arg)
{
	int sum = 0;

	pthread_mutex_lock(&mutex);
	for (int i = 0; i < 3; i++)
		sum += price[i];
	if (sum != total)
		wrong = 1;
	pthread_mutex_unlock(&mutex);
	return arg;
}

int main(void)
{
	pthread_mutexattr_t attr;
	pthread_t a, b;

	pthread_mutexattr_init(&attr);
	pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_RECURSIVE);
	pthread_mutex_init(&mutex, &attr);
	pthread_create(&a, NULL, shop, NULL);
	pthread_create(&b, NULL, report, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	printf("%d%s\n", total, wrong ? ", wrong in between" : "");
	return 0;
}
