/*
 * Is the table there? If not it is made without the lock, and installed unless another was faster.
 *
 * EXPECT: none
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static int *table, table_size;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int *get_table(void)
{
	int *t, *mine;

	pthread_mutex_lock(&lock);
	t = table;
	pthread_mutex_unlock(&lock);
	if (t)
		return t;
	mine = calloc(16, sizeof(*mine));
	pthread_mutex_lock(&lock);
	if (!table) {
		table = mine;
		table_size = 16;
		mine = NULL;
	}
	t = table;
	pthread_mutex_unlock(&lock);
	free(mine);
	return t;
}

static void *use(void *arg)
{
	return get_table() ? arg : NULL;
}

int main(void)
{
	pthread_t t[3];

	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, use, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	printf("%d\n", table_size);
	free(table);
	return 0;
}
