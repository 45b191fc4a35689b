/*
 * Data is written in one critical section, and the flag that says so in the next. A reader between the two
 * does not look at the data.
 *
 * EXPECT: none
 */
#include "../pair.h"

static int data, more, ready;

static void a(void)
{
	LOCK(m);
	data = 5;
	UNLOCK(m);
	LOCK(m);
	more = data + 1;
	UNLOCK(m);
	LOCK(m);
	ready = 1;
	UNLOCK(m);
}

static int get(void)
{
	return data + more;
}

static void b(void)
{
	int v = 0;

	LOCK(m);
	if (ready)
		v = get();
	UNLOCK(m);
	if (v > 100)
		puts("large");
	LOCK(m);
	if (ready && data == 7)
		puts("seven");
	UNLOCK(m);
}
