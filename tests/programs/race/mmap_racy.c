/*
 * Two threads write one mapped page.
 *
 * RUN: run --seed 1..5
 * EXPECT: race @work
 */
#include "../program.h"
#include <sys/mman.h>

static void *work(void *page)
{
	((char *)page)[100]++;
	return NULL;
}

int main(void)
{
	void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	pthread_t a, b;

	assert(page != MAP_FAILED);
	a = start(work, page);
	b = start(work, page);
	finish(a);
	finish(b);
	munmap(page, 4096);
	return 0;
}
