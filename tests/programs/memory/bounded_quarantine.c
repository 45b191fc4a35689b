/*
 * Freed memory is kept, but not for ever: 2 GB in large blocks and a million small ones come and go, and the
 * program stays small.
 *
 * RUN: run
 * EXPECT: clean
 * RUN: run --quarantine 64K
 * EXPECT: clean
 */
#include "../program.h"
#include <sys/resource.h>

static void *small(void *arg)
{
	for (int i = 0; i < 300000; i++) {
		char *p = malloc(16 + i % 50);

		p[0] = 1;
		free(p);
	}
	return NULL;
}

int main(void)
{
	struct rusage use;
	pthread_t t = start(small, NULL);

	for (int i = 0; i < 2000; i++) {
		char *p = malloc(1 << 20);

		memset(p, i, 4096);
		free(p);
	}
	small(NULL);
	finish(t);
	assert(getrusage(RUSAGE_SELF, &use) == 0);
	assert(use.ru_maxrss < 100 << 10); /* kilobytes; kept are 4 MB */
	return 0;
}
