/*
 * One thread copies a buffer while the other fills it. GOOD: under a lock.
 *
 * EXPECT: race buffer
 */
#include "../pair.h"

#include <string.h>

char buffer[64], copy[64];

static void a(void)
{
#ifdef GOOD
	LOCK(m);
#endif
	memset(buffer, 'x', sizeof(buffer));
#ifdef GOOD
	UNLOCK(m);
#endif
}

static void b(void)
{
#ifdef GOOD
	LOCK(m);
#endif
	memcpy(copy, buffer, sizeof(copy));
#ifdef GOOD
	UNLOCK(m);
#endif
}
