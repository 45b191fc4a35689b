/*
 * The allocators: what was known of a block's memory is forgotten when it is given back.
 */
#include <errno.h>
#include <malloc.h>
#include <stdlib.h>

#include "lane.h"
#include "runtime/memory/alloc.h"
#include "runtime/real.h"

/* glibc's own, under names that nobody interposes: no lookup is needed. */
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_memalign(size_t align, size_t size);
void *__libc_realloc(void *p, size_t size);
void __libc_free(void *p);

static void forget(void *p)
{
	hd_par_memory(HD_OP_FREE, (uintptr_t)p, HD_REAL(malloc_usable_size)(p));
}

/*
 * Rows of an array that lie on lines are locations as a whole (HD_THIN_LINE): blocks with room for some
 * lines begin with one.
 */
#define FEW_LINES 512u

void *hd_rt_program_malloc(size_t size)
{
	return size < FEW_LINES ? __libc_malloc(size) : __libc_memalign(HD_THIN_LINE, size);
}

HD_EXPORT void *malloc(size_t size)
{
	return hd_rt_program_malloc(size);
}

/* What glibc has mapped for a block alone, as a bit of the word before it says, is zero. */
static bool is_mapped(const void *p)
{
	return ((const size_t *)p)[-1] & 2;
}

HD_EXPORT void *calloc(size_t n, size_t size)
{
	size_t total;
	void *p;

	if (__builtin_mul_overflow(n, size, &total) || total < FEW_LINES)
		return __libc_calloc(n, size);
	p = __libc_memalign(HD_THIN_LINE, total);
	if (p && !is_mapped(p))
		hd_rt_fill(p, 0, total);
	return p;
}

/* The old block must be forgotten before anybody else can get it. */
void *hd_rt_program_realloc(void *old, size_t size)
{
	size_t had;
	void *p;

	if (!old || !size || !hd_par_lane.task)
		return __libc_realloc(old, size);
	had = HD_REAL(malloc_usable_size)(old);
	if (size <= had && size >= had / 2)
		return old;
	p = hd_rt_program_malloc(size);
	if (!p)
		return NULL;
	hd_rt_copy(p, old, had < size ? had : size);
	forget(old);
	__libc_free(old);
	return p;
}

HD_EXPORT void *realloc(void *old, size_t size)
{
	return hd_rt_program_realloc(old, size);
}

HD_EXPORT void *reallocarray(void *old, size_t n, size_t size)
{
	size_t total;

	if (__builtin_mul_overflow(n, size, &total)) {
		errno = ENOMEM;
		return NULL;
	}
	return hd_rt_program_realloc(old, total);
}

HD_EXPORT void free(void *p)
{
	if (p && hd_par_lane.task)
		forget(p);
	__libc_free(p);
}
