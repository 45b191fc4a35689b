/*
 * Each thread reads what the other wrote, without a barrier in between. GOOD: with one.
 *
 * EXPECT: extended-race left right
 */
#include "../pair.h"

static volatile int left, right;
int got_left, got_right;
static pthread_barrier_t phase;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void make(void)
{
	pthread_barrier_init(&phase, NULL, 2);
}

static void a(void)
{
	pthread_once(&once, make);
	left = right + 1;
#ifdef GOOD
	pthread_barrier_wait(&phase);
#endif
	got_right = right;
}

static void b(void)
{
	pthread_once(&once, make);
#ifdef GOOD
	pthread_barrier_wait(&phase);
#endif
	#ifdef GOOD
	got_left = left;
#else
	right = left + 1;
#endif
}
