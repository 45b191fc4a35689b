/*
 * Items are taken from a queue and results counted in a later critical section; the other
 * fills the queue and shows results.
 *
 * EXPECT: none
 */
#include "../pair.h"

static volatile int queue[32], head, tail, results, sum;

static void a(void)
{
	for (int i = 0; i < 20; i++) {
		int item = 0;

		LOCK(m);
		if (head != tail)
			item = queue[head++ % 32];
		UNLOCK(m);
		if (item) {
			LOCK(m);
			results++;
			sum += item;
			UNLOCK(m);
		}
	}
}

static void b(void)
{
	for (int i = 0; i < 10; i++) {
		LOCK(m);
		queue[tail++ % 32] = i + 1;
		UNLOCK(m);
		LOCK(m);
		printf("%d results, %d\n", results, sum);
		UNLOCK(m);
	}
}
