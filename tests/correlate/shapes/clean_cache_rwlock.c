/*
 * A cache: looked up with the lock for reading; if there is nothing, looked up again with the lock for
 * writing, and filled.
 *
 * EXPECT: none
 */
#include <pthread.h>
#include <stdio.h>

#define SLOTS 8

static int key[SLOTS], value[SLOTS], filled;
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

static int find(int k)
{
	for (int i = 0; i < filled; i++) {
		if (key[i] == k)
			return value[i];
	}
	return -1;
}

static int square(int k)
{
	int v;

	pthread_rwlock_rdlock(&lock);
	v = find(k);
	pthread_rwlock_unlock(&lock);
	if (v >= 0)
		return v;
	pthread_rwlock_wrlock(&lock);
	v = find(k);
	if (v < 0) {
		v = k * k;
		key[filled] = k;
		value[filled] = v;
		filled++;
	}
	pthread_rwlock_unlock(&lock);
	return v;
}

static void *ask(void *arg)
{
	int sum = 0;

	for (int i = 0; i < 6; i++)
		sum += square(i % 4);
	printf("%d\n", sum);
	return arg;
}

int main(void)
{
	pthread_t t[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, ask, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	return 0;
}
