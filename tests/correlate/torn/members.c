/*
 * Members of a record are filled in together, but in two critical sections. GOOD: in one.
 *
 * EXPECT: extended-race record.a record.b
 */
#include "../pair.h"

struct pair {
	int a, b;
} record;

struct pair *head = &record;
static volatile int inputs[] = { 1, 2 };
static volatile int wrong;

__attribute__((noinline)) static void fill(int a, int b)
{
	LOCK(m);
	head->a = a;
#ifndef GOOD
	UNLOCK(m);
	LOCK(m);
#endif
	head->b = b;
	UNLOCK(m);
}

static void a(void)
{
	fill(inputs[0], inputs[1]);
}

static void b(void)
{
	int first, second;

	LOCK(m);
	first = head->a;
	second = head->b;
	UNLOCK(m);
	if (first > second)
		puts("torn");
}
