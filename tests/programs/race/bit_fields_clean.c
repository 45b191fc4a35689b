/*
 * Bit-fields with a zero-width one between them are two memory locations.
 *
 * RUN: run --seed 1..20
 * EXPECT: clean
 * RUN: run --policy pct --pct-length 100 --seed 1..20
 * EXPECT: clean
 * RUN: run --switch-at accesses --seed 1..20
 * EXPECT: clean
 */
#include "../program.h"

static struct {
	unsigned char left : 4;
	unsigned char : 0;
	unsigned char right : 4;
} flags;

static void *set_left(void *arg)
{
	flags.left = 1;
	return NULL;
}

static void *set_right(void *arg)
{
	flags.right = 1;
	return NULL;
}

int main(void)
{
	pthread_t a = start(set_left, NULL), b = start(set_right, NULL);

	finish(a);
	finish(b);
	assert(flags.left == 1 && flags.right == 1);
	return 0;
}
