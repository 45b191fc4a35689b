/*
 * Frames that longjmp leaves; the torn update after it is still seen. GOOD: not torn.
 *
 * EXPECT: extended-race x
 */
#include "../pair.h"

#include <setjmp.h>

static volatile int x = 1;
static __thread jmp_buf back;

__attribute__((noinline)) static void deep(int n)
{
	if (n == 0)
		longjmp(back, 1);
	deep(n - 1);
}

static void update(void)
{
	int old;

	if (setjmp(back) == 0)
		deep(5);
	LOCK(m);
	old = x;
#ifndef GOOD
	UNLOCK(m);
	LOCK(m);
#endif
	x = old + 1;
	UNLOCK(m);
}

static void a(void)
{
	update();
}

static void b(void)
{
	update();
}
