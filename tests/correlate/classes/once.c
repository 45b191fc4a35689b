/*
 * Set up by whoever comes first. GOOD: pthread_once.
 *
 * EXPECT: race x
 * ALSO: done
 */
#include "../pair.h"

static volatile int x;
static volatile int done;
static pthread_once_t o = PTHREAD_ONCE_INIT;

static void set_up(void)
{
	x = 5;
	done = 1;
}

static void use(void)
{
#ifdef GOOD
	pthread_once(&o, set_up);
#else
	if (!done)
		set_up();
#endif
	if (x != 5)
		puts("wrong");
}

static void a(void)
{
	use();
}

static void b(void)
{
	use();
}
