/*
 * How much there is left is asked by one function and spent by another; the limit never changes. The second thread
 * finds too little, in this run. GOOD: both in one section.
 *
 * EXPECT: extended-race spent
 * PART
 */
#include <pthread.h>
#include <stdio.h>

static int limit = 50, spent;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int room(void)
{
	int left;

	pthread_mutex_lock(&lock);
	left = limit - spent;
	pthread_mutex_unlock(&lock);
	return left;
}

static void spend(int n)
{
	pthread_mutex_lock(&lock);
#ifdef GOOD
	if (limit - spent >= n)
#endif
		spent += n;
	pthread_mutex_unlock(&lock);
}

static void buy(int n)
{
	if (room() >= n)
		spend(n);
}

static void *first(void *arg)
{
	buy(30);
	buy(30);
	return arg;
}

static void *second(void *arg)
{
	buy(40);
	return arg;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, first, NULL);
	pthread_create(&b, NULL, second, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	printf("%d\n", spent);
	return 0;
}
