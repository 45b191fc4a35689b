/*
 * What is taken from one queue under its lock goes into another under its own.
 *
 * EXPECT: none
 */
#include "../pair.h"

static volatile int in[16], in_count = 8, out[16], out_count;

static void move(void)
{
	for (int i = 0; i < 4; i++) {
		int item;

		LOCK(m);
		item = in[--in_count];
		UNLOCK(m);
		item = item * 2 + 1;
		LOCK(n);
		out[out_count++] = item;
		UNLOCK(n);
	}
}

static void a(void)
{
	move();
}

static void b(void)
{
	move();
}
