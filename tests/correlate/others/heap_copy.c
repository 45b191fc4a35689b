/*
 * A record is copied to the heap under the lock, changed there, and copied back under the lock. GOOD: the
 * lock is held from copy to copy.
 *
 * EXPECT: extended-race record.visits
 * ALSO: record.bytes record.who
 * PART
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct record {
	long visits, bytes;
	char who[8];
};

static struct record record = { 0, 0, "me" };
static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;

static void visit(long bytes)
{
	struct record *copy = malloc(sizeof(*copy));

	pthread_mutex_lock(&guard);
	memcpy(copy, &record, sizeof(*copy));
#ifndef GOOD
	pthread_mutex_unlock(&guard);
#endif
	copy->visits++;
	copy->bytes += bytes;
#ifndef GOOD
	pthread_mutex_lock(&guard);
#endif
	memcpy(&record, copy, sizeof(record));
	pthread_mutex_unlock(&guard);
	free(copy);
}

static void *visitor(void *arg)
{
	for (int i = 0; i < 4; i++)
		visit(100 * i);
	return arg;
}

int main(void)
{
	pthread_t t[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, visitor, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	printf("%ld visits, %ld bytes\n", record.visits, record.bytes);
	return 0;
}
