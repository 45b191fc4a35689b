/*
 * A state is looked at, then looked at again under the lock before it is changed.
 *
 * EXPECT: none
 */
#include "../pair.h"

static volatile int state, value;

static void set(int v)
{
	int s;

	LOCK(m);
	s = state;
	UNLOCK(m);
	if (s)
		return;
	LOCK(m);
	if (!state) {
		value = v;
		state = 1;
	}
	UNLOCK(m);
}

static void a(void)
{
	set(1);
}

static void b(void)
{
	set(2);
}
