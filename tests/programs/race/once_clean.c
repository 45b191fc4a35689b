/*
 * What pthread_once made is there for everyone who called it, first or not.
 *
 * RUN: run --seed 1..20
 * EXPECT: clean
 * RUN: run --policy pct --pct-length 100 --seed 1..20
 * EXPECT: clean
 * RUN: run --switch-at accesses --seed 1..20
 * EXPECT: clean
 */
#include "../program.h"

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int *table;

static void fill(void)
{
	table = malloc(sizeof(*table));
	*table = 42;
}

static void *use(void *arg)
{
	pthread_once(&once, fill);
	assert(*table == 42);
	return NULL;
}

int main(void)
{
	pthread_t t[4];

	for (int i = 0; i < 4; i++)
		t[i] = start(use, NULL);
	for (int i = 0; i < 4; i++)
		finish(t[i]);
	free(table);
	return 0;
}
