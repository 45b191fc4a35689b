/*
 * A table is copied to the heap, changed there and copied back in the next section; then the copy is freed, and the
 * memory used anew. GOOD: in one section.
 *
 * EXPECT: extended-race table
 * PART
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static long table[4] = { 4, 8, 12, 16 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void smooth(void)
{
	long *copy = malloc(sizeof(table));

	pthread_mutex_lock(&lock);
	memcpy(copy, table, sizeof(table));
#ifndef GOOD
	pthread_mutex_unlock(&lock);
	pthread_mutex_lock(&lock);
#endif
	for (int i = 1; i < 4; i++)
		copy[i] = (copy[i] + copy[i - 1]) / 2;
	memcpy(table, copy, sizeof(table));
	pthread_mutex_unlock(&lock);
	free(copy);
}

static void *run(void *arg)
{
	smooth();
	smooth();
	return arg;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, run, NULL);
	pthread_create(&b, NULL, run, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	printf("%ld\n", table[3]);
	return 0;
}
