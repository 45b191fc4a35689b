/*
 * Who works over two critical sections has set a flag; the other waits for it and then writes
 * everything in one.
 *
 * EXPECT: none
 */
#include "../pair.h"

static volatile int busy, x = 1, y = 2;
static pthread_cond_t idle = PTHREAD_COND_INITIALIZER;

static void a(void)
{
	for (int i = 0; i < 10; i++) {
		int t;

		LOCK(m);
		busy = 1;
		t = x;
		UNLOCK(m);
		LOCK(m);
		y = 2 * t;
		busy = 0;
		pthread_cond_signal(&idle);
		UNLOCK(m);
	}
}

static void b(void)
{
	for (int i = 0; i < 10; i++) {
		LOCK(m);
		while (busy)
			pthread_cond_wait(&idle, &m);
		x = i;
		y = 2 * i;
		UNLOCK(m);
	}
}
