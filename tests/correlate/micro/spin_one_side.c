/*
 * Only one thread takes the spin lock. GOOD: both do.
 *
 * EXPECT: race x
 */
#include "../pair.h"

static volatile int x;
static pthread_spinlock_t spin;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void make(void)
{
	pthread_spin_init(&spin, 0);
}

static void a(void)
{
	pthread_once(&once, make);
	pthread_spin_lock(&spin);
	x++;
	pthread_spin_unlock(&spin);
}

static void b(void)
{
	pthread_once(&once, make);
#ifdef GOOD
	pthread_spin_lock(&spin);
#endif
	x++;
#ifdef GOOD
	pthread_spin_unlock(&spin);
#endif
}
