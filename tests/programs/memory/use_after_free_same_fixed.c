/*
 * Nobody touches a block after it was freed, though the next one may lie in the same place.
 *
 * RUN: run --seed 1..3
 * EXPECT: clean
 * RUN: run --races no
 * EXPECT: clean
 * RUN: run --switch-at accesses
 * EXPECT: clean
 */
#include "../program.h"

#define NOINLINE __attribute__((noinline))

struct item {
	int first, second;
	char text[16];
};

NOINLINE static struct item *make(void)
{
	return calloc(1, sizeof(struct item));
}

NOINLINE static int look(const struct item *i)
{
	return i->second;
}

NOINLINE static void forget(struct item *i)
{
	free(i);
}

static void *idle(void *arg)
{
	return arg;
}

int main(void)
{
	struct item *i = make();
	char copy[16];
	int sum = 0;

	finish(start(idle, NULL));
	for (int n = 0; n < 5; n++) /* what was read often is not looked at each time */
		sum += look(i);
	forget(i);
	i = make();
	sum += look(i);
	for (int n = 0; n < 1000; n++) {
		int *other = malloc(24);

		*other = n;
		free(other);
	}
	i->first = sum;
	memcpy(copy, i->text, sizeof(copy));
	forget(i);
	return copy[0];
}
