/*
 * A slot is filled when it is empty, and emptied by the other when it has worked on what is
 * there.
 *
 * EXPECT: none
 * ALWAYS: clang-O2 gcc-O2
 */
#include "../pair.h"

static volatile int slot, full, result;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

static void a(void)
{
	for (int i = 0; i < 10; i++) {
		int t;

		LOCK(m);
		while (!full)
			pthread_cond_wait(&changed, &m);
		t = slot;
		UNLOCK(m);
		LOCK(m);
		result = 2 * t;
		full = 0;
		pthread_cond_signal(&changed);
		UNLOCK(m);
	}
}

static void b(void)
{
	for (int i = 0; i < 10; i++) {
		LOCK(m);
		while (full)
			pthread_cond_wait(&changed, &m);
		if (result < 0)
			puts("negative");
		slot = i;
		full = 1;
		pthread_cond_signal(&changed);
		UNLOCK(m);
	}
}
