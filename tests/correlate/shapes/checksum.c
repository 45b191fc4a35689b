/*
 * A block and its checksum: the block is summed up in one section, the checksum compared in the next; a
 * writer changes both. GOOD: in one.
 *
 * EXPECT: extended-race block checksum
 */
#include <pthread.h>
#include <stdio.h>

static volatile unsigned block[4] = { 1, 2, 3, 4 }, checksum = 10;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static unsigned sum_of(void)
{
	unsigned s = 0;

	for (int i = 0; i < 4; i++)
		s += block[i];
	return s;
}

static void *verify(void *arg)
{
	unsigned s, c;

	pthread_mutex_lock(&lock);
	s = sum_of();
#ifndef GOOD
	pthread_mutex_unlock(&lock);
	pthread_mutex_lock(&lock);
#endif
	c = checksum;
	pthread_mutex_unlock(&lock);
	if (s != c)
		puts("damaged");
	return arg;
}

static void *store(void *arg)
{
	pthread_mutex_lock(&lock);
	for (unsigned i = 0; i < 4; i++)
		block[i] = 5 * i;
	checksum = sum_of();
	pthread_mutex_unlock(&lock);
	return arg;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, verify, NULL);
	pthread_create(&b, NULL, store, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
