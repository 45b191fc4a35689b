/*
 * The next number is read by a getter and raised by a setter. GOOD: in one.
 *
 * EXPECT: extended-race next_id
 */
#include <pthread.h>
#include <stdio.h>

static long next_id = 1;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static long peek(void)
{
	long v;

	pthread_mutex_lock(&lock);
	v = next_id;
	pthread_mutex_unlock(&lock);
	return v;
}

static void advance(long to)
{
	pthread_mutex_lock(&lock);
	next_id = to;
	pthread_mutex_unlock(&lock);
}

static long new_id(void)
{
#ifdef GOOD
	long v;

	pthread_mutex_lock(&lock);
	v = next_id++;
	pthread_mutex_unlock(&lock);
	return v;
#else
	long v = peek();

	advance(v + 1);
	return v;
#endif
}

static void *user(void *arg)
{
	long last = 0;

	for (int i = 0; i < 3; i++)
		last = new_id();
	printf("%ld\n", last);
	return arg;
}

int main(void)
{
	pthread_t t[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, user, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	return peek() != 7 ? 0 : (advance(0), 0);
}
