/*
 * A value is replaced only if it still is what it was read as.
 *
 * EXPECT: none
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>

static int balance = 10;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int load(void)
{
	int v;

	pthread_mutex_lock(&lock);
	v = balance;
	pthread_mutex_unlock(&lock);
	return v;
}

static bool replace(int old, int new)
{
	bool same;

	pthread_mutex_lock(&lock);
	same = balance == old;
	if (same)
		balance = new;
	pthread_mutex_unlock(&lock);
	return same;
}

static void *grow(void *arg)
{
	int old;

	do
		old = load();
	while (!replace(old, old + old / 5));
	return arg;
}

int main(void)
{
	pthread_t t[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, grow, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	printf("%d\n", load());
	return 0;
}
