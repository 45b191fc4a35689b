/*
 * A spin lock on one side. GOOD: on both.
 *
 * EXPECT: race x
 */
#include "../pair.h"

static volatile int x;
static pthread_spinlock_t s = 1;

static void a(void)
{
	pthread_spin_lock(&s);
	x++;
	pthread_spin_unlock(&s);
}

static void b(void)
{
#ifdef GOOD
	pthread_spin_lock(&s);
#endif
	x++;
#ifdef GOOD
	pthread_spin_unlock(&s);
#endif
}
