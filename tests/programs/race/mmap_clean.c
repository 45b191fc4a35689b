/*
 * Mapped memory is given back and mapped again at the same place by another thread.
 *
 * RUN: run --seed 1..20
 * EXPECT: clean
 * RUN: run --policy pct --pct-length 100 --seed 1..20
 * EXPECT: clean
 * RUN: run --switch-at accesses --seed 1..20
 * EXPECT: clean
 */
#include "../program.h"
#include <sys/mman.h>

static void *work(void *arg)
{
	for (int i = 0; i < 5; i++) {
		char *pages =
		    mmap(NULL, 16384, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		assert(pages != MAP_FAILED);
		pages[0] = pages[16383] = 1;
		sched_yield();
		munmap(pages, 16384);
	}
	return NULL;
}

int main(void)
{
	pthread_t a = start(work, NULL), b = start(work, NULL);

	finish(a);
	finish(b);
	return 0;
}
