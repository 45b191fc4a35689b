/*
 * What pthread_once sets up is read before the call. GOOD: after it.
 *
 * EXPECT: race table
 */
#include "../pair.h"

static volatile int table, got_a, got_b;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void fill(void)
{
	table = 1;
}

static void a(void)
{
	pthread_once(&once, fill);
	got_a = table;
}

static void b(void)
{
#ifdef GOOD
	pthread_once(&once, fill);
	got_b = table;
#else
	got_b = table;
	pthread_once(&once, fill);
#endif
}
