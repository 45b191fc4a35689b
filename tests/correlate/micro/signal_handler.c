/*
 * A signal comes in the middle; the race is elsewhere, and still found. GOOD: no race.
 *
 * EXPECT: race x
 */
#include "../pair.h"

#include <signal.h>

static volatile int x;
static volatile sig_atomic_t came;

static void handler(int sig)
{
	came = sig;
}

static void a(void)
{
	signal(SIGUSR1, handler);
	raise(SIGUSR1);
#ifdef GOOD
	LOCK(m);
#endif
	x++;
#ifdef GOOD
	UNLOCK(m);
#endif
}

static void b(void)
{
#ifdef GOOD
	LOCK(m);
#endif
	x++;
#ifdef GOOD
	UNLOCK(m);
#endif
}
