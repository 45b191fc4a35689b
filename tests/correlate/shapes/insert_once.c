/*
 * A key is looked for in a table in one section and, if it is not there, added in the next, by two
 * threads with the same key and others. GOOD: in one.
 *
 * EXPECT: extended-race nkeys keys
 */
#include <pthread.h>
#include <stdbool.h>

static int keys[16], nkeys;
static pthread_mutex_t table = PTHREAD_MUTEX_INITIALIZER;

static bool find(int key)
{
	for (int i = 0; i < nkeys; i++) {
		if (keys[i] == key)
			return true;
	}
	return false;
}

static void intern(int key)
{
	bool there;

	pthread_mutex_lock(&table);
	there = find(key);
#ifndef GOOD
	pthread_mutex_unlock(&table);
	if (there)
		return;
	pthread_mutex_lock(&table);
	keys[nkeys++] = key;
#else
	if (!there)
		keys[nkeys++] = key;
#endif
	pthread_mutex_unlock(&table);
}

static void *fill(void *arg)
{
	for (int i = 0; i < 4; i++)
		intern(*(int *)arg + i);
	return NULL;
}

int main(void)
{
	pthread_t a, b;
	int from[2] = { 10, 12 };

	pthread_create(&a, NULL, fill, &from[0]);
	pthread_create(&b, NULL, fill, &from[1]);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return nkeys > 16;
}
