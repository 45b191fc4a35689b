/*
 * A round of a loop looks at a variable, under a lock, and goes on; a later round sets it
 * without looking. What one round saw is not what the next one's write comes from.
 *
 * EXPECT: none
 */
#include "../pair.h"

static volatile int state, others;
static volatile const char looks[] = "101";

static void a(void)
{
	for (int i = 0; looks[i]; i++) {
		if (looks[i] == '1') {
			int now;

			LOCK(m);
			now = state;
			UNLOCK(m);
			if (now > 100)
				break;
		} else {
			LOCK(m);
			state = 1;
			UNLOCK(m);
		}
	}
}

static void b(void)
{
	LOCK(m);
	state = 2;
	others++;
	UNLOCK(m);
}
