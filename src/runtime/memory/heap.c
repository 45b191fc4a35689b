/*
 * malloc's interface on the arena, for code that is shared with the commands.
 */
#include <stdint.h>

#include "runtime/analysis_shim.h"

#define HEAD 16u /* the size goes before the block */

static void *with_head(char *p, size_t size)
{
	*(size_t *)p = size;
	return p + HEAD;
}

void *hd_rt_heap_get(size_t size)
{
	return with_head(hd_rt_alloc_used(size + HEAD), size);
}

void *hd_rt_heap_zeroed(size_t n, size_t size)
{
	return with_head(hd_rt_alloc(n * size + HEAD), n * size);
}

void hd_rt_heap_put(void *p)
{
	if (p)
		hd_rt_free((char *)p - HEAD, *(size_t *)((char *)p - HEAD) + HEAD);
}

void *hd_rt_heap_resize(void *p, size_t size)
{
	size_t old = p ? *(size_t *)((char *)p - HEAD) : 0;
	void *q = hd_rt_heap_get(size);

	hd_rt_copy(q, p, old < size ? old : size);
	hd_rt_heap_put(p);
	return q;
}

int hd_rt_compare(const void *a, const void *b, size_t n)
{
	const unsigned char *x = a, *y = b;

	for (; n; n--, x++, y++) {
		if (*x != *y)
			return *x - *y;
	}
	return 0;
}
