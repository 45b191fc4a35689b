/*
 * Both threads look whether there is something; one of them alone takes it.
 *
 * EXPECT: none
 */
#include "../pair.h"

static volatile int stock = 3;

__attribute__((noinline)) static void take(int me)
{
	for (int i = 0; i < 3; i++) {
		int some;

		LOCK(m);
		some = stock > 0;
		UNLOCK(m);
		if (some) {
			if (me == 0) {
				LOCK(m);
				stock = stock - 1;
				UNLOCK(m);
			}
		}
	}
}

static void a(void)
{
	take(0);
}

static void b(void)
{
	take(1);
}
