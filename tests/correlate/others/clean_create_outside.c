/*
 * A table is made without the lock, because that takes long; then it is looked again whether another was faster, and the
 * one too many is thrown away.
 *
 * EXPECT: none
 */
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int *table;

static int *get_table(void)
{
	int *mine, *found;

	pthread_mutex_lock(&lock);
	found = table;
	pthread_mutex_unlock(&lock);
	if (found)
		return found;
	mine = malloc(16 * sizeof(*mine));
	for (int i = 0; i < 16; i++)
		mine[i] = i * i;
	pthread_mutex_lock(&lock);
	if (table) {
		free(mine);
		mine = table;
	} else {
		table = mine;
	}
	pthread_mutex_unlock(&lock);
	return mine;
}

static void *user(void *arg)
{
	long sum = 0;

	for (int i = 0; i < 16; i++)
		sum += get_table()[i];
	*(long *)arg = sum;
	return NULL;
}

int main(void)
{
	pthread_t t[2];
	long sums[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, user, &sums[i]);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	free(table);
	return sums[0] != sums[1];
}
