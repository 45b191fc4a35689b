/*
 * A destructor frees what its thread made, and what it did is there after the join.
 *
 * RUN: run --seed 1..20
 * EXPECT: clean
 * RUN: run --policy pct --pct-length 100 --seed 1..20
 * EXPECT: clean
 * RUN: run --switch-at accesses --seed 1..20
 * EXPECT: clean
 */
#include "../program.h"

static pthread_key_t key;
static int destroyed[2];

static void destroy(void *value)
{
	destroyed[*(int *)value] = 1;
	free(value);
}

static void *work(void *arg)
{
	int *mine = malloc(sizeof(*mine));

	*mine = (int)(intptr_t)arg;
	pthread_setspecific(key, mine);
	return NULL;
}

int main(void)
{
	pthread_t a, b;

	pthread_key_create(&key, destroy);
	a = start(work, (void *)0);
	b = start(work, (void *)1);
	return finish(a) == finish(b) ? destroyed[0] + destroyed[1] - 2 : 1;
}
