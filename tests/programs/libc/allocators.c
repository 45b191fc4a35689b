/*
 * The allocators keep contents, alignment and error returns.
 *
 * RUN: run --seed 1..20
 * EXPECT: clean
 */
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static volatile size_t huge = SIZE_MAX / 2;

/* Called through these, so that no compiler reasons about what malloc does to errno. */
static void *(*volatile do_malloc)(size_t) = malloc;
static void *(*volatile do_calloc)(size_t, size_t) = calloc;
static void *(*volatile do_reallocarray)(void *, size_t, size_t) = reallocarray;

static void grow_and_shrink(void)
{
	unsigned char *p = malloc(10);

	for (int i = 0; i < 10; i++)
		p[i] = (unsigned char)i;
	for (size_t size = 20; size < 1000000; size *= 3) {
		p = realloc(p, size);
		assert(p && malloc_usable_size(p) >= size);
		for (int i = 0; i < 10; i++)
			assert(p[i] == i);
	}
	p = realloc(p, 5);
	for (int i = 0; i < 5; i++)
		assert(p[i] == i);
	free(p);
}

static void aligned(void)
{
	void *p = NULL;

	assert(posix_memalign(&p, 4096, 100) == 0 && (uintptr_t)p % 4096 == 0);
	free(p);
	assert(posix_memalign(&p, 24, 100) == EINVAL && posix_memalign(&p, 4, 100) == EINVAL);
	p = aligned_alloc(256, 512);
	assert(p && (uintptr_t)p % 256 == 0);
	free(p);
	p = memalign(64, 3);
	assert(p && (uintptr_t)p % 64 == 0);
	free(p);
}

static void refused(void)
{
	errno = 0;
	assert(!do_malloc(huge + 10) && errno == ENOMEM);
	errno = 0;
	assert(!do_calloc(huge, 4) && errno == ENOMEM);
	errno = 0;
	assert(!do_reallocarray(NULL, huge, 4) && errno == ENOMEM);
	free(NULL);
}

static void mapped(void)
{
	char *p = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert(p != MAP_FAILED && p[5000] == 0);
	p[5000] = 1;
	p = mremap(p, 8192, 1 << 20, MREMAP_MAYMOVE);
	assert(p != MAP_FAILED && p[5000] == 1);
	p[0] = 2;
	assert(mprotect(p, 4096, PROT_NONE) == 0);
	assert(munmap(p, 1 << 20) == 0);
}

static void *thread(void *arg)
{
	int *p = calloc(100, sizeof(*p));

	for (int i = 0; i < 100; i++)
		assert(p[i] == 0);
	free(p);
	grow_and_shrink();
	aligned();
	refused();
	mapped();
	return NULL;
}

int main(void)
{
	pthread_t t[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, thread, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	return 0;
}
