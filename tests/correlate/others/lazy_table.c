/*
 * A table that is made when it is first wanted: whether it is there is asked in one section, and it is put
 * there in the next; the second thread would make it as well. GOOD: looks again before it puts it there.
 *
 * EXPECT: extended-race table
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static int *table;
static pthread_mutex_t table_lock = PTHREAD_MUTEX_INITIALIZER;

static int *build(void)
{
	int *t = malloc(16 * sizeof(*t));

	for (int i = 0; i < 16; i++)
		t[i] = i * i;
	return t;
}

static int *get_table(void)
{
	int *t;

	pthread_mutex_lock(&table_lock);
	t = table;
	pthread_mutex_unlock(&table_lock);
	if (t)
		return t;
	t = build();
	pthread_mutex_lock(&table_lock);
#ifdef GOOD
	if (table) {
		free(t);
		t = table;
	} else {
		table = t;
	}
#else
	table = t;
#endif
	pthread_mutex_unlock(&table_lock);
	return t;
}

static void *user(void *arg)
{
	const int *t = get_table();
	long sum = 0;

	for (int i = 0; i < 16; i++)
		sum += t[i];
	*(long *)arg = sum;
	return NULL;
}

int main(void)
{
	pthread_t a, b;
	long sum[2];

	pthread_create(&a, NULL, user, &sum[0]);
	pthread_create(&b, NULL, user, &sum[1]);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	printf("%ld\n", sum[0] + sum[1]);
	free(table);
	return 0;
}
