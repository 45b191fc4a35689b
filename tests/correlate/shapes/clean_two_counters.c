/*
 * Bytes and packets are counted one after the other, each in a section of its own; a reporter
 * prints them one by one.
 *
 * EXPECT: none
 */
#include <pthread.h>
#include <stdio.h>

static unsigned long bytes, packets;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void add(unsigned long *counter, unsigned long n)
{
	pthread_mutex_lock(&lock);
	*counter += n;
	pthread_mutex_unlock(&lock);
}

static unsigned long get(const unsigned long *counter)
{
	unsigned long v;

	pthread_mutex_lock(&lock);
	v = *counter;
	pthread_mutex_unlock(&lock);
	return v;
}

static void *receive(void *arg)
{
	for (int i = 1; i < 6; i++) {
		add(&bytes, 100u * i);
		add(&packets, 1);
	}
	return arg;
}

static void *report(void *arg)
{
	printf("%lu bytes, %lu packets\n", get(&bytes), get(&packets));
	return arg;
}

int main(void)
{
	pthread_t t[3];

	pthread_create(&t[0], NULL, receive, NULL);
	pthread_create(&t[1], NULL, receive, NULL);
	pthread_create(&t[2], NULL, report, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	return 0;
}
