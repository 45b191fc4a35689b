/*
 * A table that is nearly full is made larger: that it is full is seen in one section, it is replaced in the
 * next. Another thread may have done so, and its entries are lost. GOOD: looked at and done in one.
 *
 * EXPECT: extended-race table.size
 * PART
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct table {
	int *slot;
	int used, size;
} table;
static pthread_mutex_t tl = PTHREAD_MUTEX_INITIALIZER;

static void grow(void)
{
	int *more = calloc((size_t)table.size * 2, sizeof(*more));

	memcpy(more, table.slot, (size_t)table.used * sizeof(*more));
	free(table.slot);
	table.slot = more;
	table.size *= 2;
}

static void insert(int v)
{
	int full;

	pthread_mutex_lock(&tl);
	full = table.used + 2 >= table.size;
#ifndef GOOD
	pthread_mutex_unlock(&tl);
#endif
	if (full) {
#ifndef GOOD
		pthread_mutex_lock(&tl);
#endif
		grow();
#ifndef GOOD
		pthread_mutex_unlock(&tl);
#endif
	}
#ifndef GOOD
	pthread_mutex_lock(&tl);
#endif
	table.slot[table.used++] = v;
	pthread_mutex_unlock(&tl);
}

static void *filler(void *arg)
{
	for (int i = 0; i < 6; i++)
		insert(i);
	return arg;
}

int main(void)
{
	pthread_t a, b;

	table.size = 4;
	table.slot = calloc(4, sizeof(int));
	pthread_create(&a, NULL, filler, NULL);
	pthread_create(&b, NULL, filler, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	printf("%d of %d\n", table.used, table.size);
	return 0;
}
