/*
 * A record is stored at the end of a log in one section, the end moved on in the next; two
 * threads append. GOOD: in one.
 *
 * EXPECT: extended-race events.used events.record
 * WHY: which entry was written
 */
#include <pthread.h>
#include <stdio.h>

#define ROOM 32

static struct {
	pthread_mutex_t lock;
	unsigned used;
	int record[ROOM];
} events = { PTHREAD_MUTEX_INITIALIZER, 0, { 0 } };

static void put(int what)
{
	pthread_mutex_lock(&events.lock);
	events.record[events.used] = what;
#ifndef GOOD
	pthread_mutex_unlock(&events.lock);
	pthread_mutex_lock(&events.lock);
#endif
	events.used++;
	pthread_mutex_unlock(&events.lock);
}

static void *producer(void *arg)
{
	for (int i = 0; i < 4; i++)
		put(*(int *)arg + i);
	return NULL;
}

int main(void)
{
	pthread_t t[2];
	int base[2] = { 100, 200 };

	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, producer, &base[i]);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	printf("%u\n", events.used);
	return 0;
}
