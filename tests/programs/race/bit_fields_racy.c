/*
 * Bit-fields side by side are one memory location.
 *
 * RUN: run --seed 1..5
 * EXPECT: race 'flags @set_left @set_right
 */
#include "../program.h"

static struct {
	unsigned left : 4;
	unsigned right : 4;
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
	return flags.left + flags.right > 2;
}
