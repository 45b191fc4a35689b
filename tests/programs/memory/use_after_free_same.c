/*
 * A thread reads and writes a block that it has freed itself: at once, after many other blocks have
 * come and gone, and through libc.
 *
 * RUN: run --seed 1..3
 * EXPECT: memory use after free @look:LOOK @forget:FREE @make:MAKE
 * EXPECT: memory use after free @main:WRITE @forget:FREE @make:MAKE
 * EXPECT: memory use after free @main:COPY @forget:FREE @make:MAKE
 * NEVER: race
 * EXIT: 0
 * RUN: run --races no
 * EXPECT: memory use after free @look:LOOK @forget:FREE @make:MAKE
 * EXPECT: memory use after free @main:WRITE @forget:FREE @make:MAKE
 * EXPECT: memory use after free @main:COPY @forget:FREE @make:MAKE
 * EXIT: 0
 * RUN: run --switch-at accesses
 * EXPECT: memory use after free @look:LOOK @forget:FREE @make:MAKE
 * EXPECT: memory use after free @main:WRITE @forget:FREE @make:MAKE
 * EXPECT: memory use after free @main:COPY @forget:FREE @make:MAKE
 * EXIT: 0
 */
#include "../program.h"

#define NOINLINE __attribute__((noinline))

struct item {
	int first, second;
	char text[16];
};

NOINLINE static struct item *make(void)
{
	return calloc(1, sizeof(struct item)); /* MAKE */
}

NOINLINE static int look(const struct item *i)
{
	return i->second; /* LOOK */
}

NOINLINE static void forget(struct item *i)
{
	free(i); /* FREE */
}

static void *idle(void *arg)
{
	return arg;
}

struct item *kept; /* others could read what is written */

int main(void)
{
	struct item *i = make();
	char copy[16];
	int sum = 0;

	kept = i;
	finish(start(idle, NULL));
	for (int n = 0; n < 5; n++) /* what was read often is not looked at each time */
		sum += look(i);
	forget(i);
	sum += look(i);
	for (int n = 0; n < 1000; n++) {
		int *other = malloc(24);

		*other = n;
		free(other);
	}
	i->first = sum;			     /* WRITE */
	memcpy(copy, i->text, sizeof(copy)); /* COPY */
	return copy[0];
}
