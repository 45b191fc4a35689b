/*
 * A table is copied with the lock and looked at without; nothing is written back.
 *
 * EXPECT: none
 */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static int table[6], used;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *reader(void *arg)
{
	int mine[6], n, sum = 0;

	pthread_mutex_lock(&lock);
	n = used;
	memcpy(mine, table, sizeof(mine));
	pthread_mutex_unlock(&lock);
	for (int i = 0; i < n; i++)
		sum += mine[i];
	printf("%d\n", sum);
	return arg;
}

static void *writer(void *arg)
{
	for (int i = 0; i < 6; i++) {
		pthread_mutex_lock(&lock);
		table[used] = i;
		used++;
		pthread_mutex_unlock(&lock);
	}
	return arg;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, writer, NULL);
	pthread_create(&b, NULL, reader, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
