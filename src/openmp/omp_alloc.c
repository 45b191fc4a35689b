/*
 * OpenMP's allocators: the program's own malloc, whatever the traits say.
 */
#include "omp_rt.h"

#include <stdlib.h>

uintptr_t omp_init_allocator(uintptr_t space, int n, const void *traits);
void omp_destroy_allocator(uintptr_t a);
void omp_set_default_allocator(uintptr_t a);
uintptr_t omp_get_default_allocator(void);
void *omp_alloc(size_t size, uintptr_t a);
void *omp_calloc(size_t n, size_t size, uintptr_t a);
void *omp_aligned_alloc(size_t align, size_t size, uintptr_t a);
void *omp_aligned_calloc(size_t align, size_t n, size_t size, uintptr_t a);
void *omp_realloc(void *p, size_t size, uintptr_t a, uintptr_t from);
void omp_free(void *p, uintptr_t a);
void *GOMP_alloc(size_t align, size_t size, uintptr_t a);
void GOMP_free(void *p, uintptr_t a);

static uintptr_t chosen = 1; /* omp_default_mem_alloc */

HD_EXPORT uintptr_t omp_init_allocator(uintptr_t space, int n, const void *traits)
{
	static uintptr_t made = 0x1000;

	return made++;
}

HD_EXPORT void omp_destroy_allocator(uintptr_t a)
{
}

HD_EXPORT void omp_set_default_allocator(uintptr_t a)
{
	chosen = a;
}

HD_EXPORT uintptr_t omp_get_default_allocator(void)
{
	return chosen;
}

/* The caller's place is noted first: malloc takes a call from here for one of the program's. */
HD_EXPORT void *omp_alloc(size_t size, uintptr_t a)
{
	hd_omp_enter(HD_CALLER);
	return malloc(size);
}

HD_EXPORT void *omp_calloc(size_t n, size_t size, uintptr_t a)
{
	hd_omp_enter(HD_CALLER);
	return calloc(n, size);
}

HD_EXPORT void *omp_aligned_alloc(size_t align, size_t size, uintptr_t a)
{
	hd_omp_enter(HD_CALLER);
	return aligned_alloc(align < sizeof(void *) ? sizeof(void *) : align, size);
}

HD_EXPORT void *omp_aligned_calloc(size_t align, size_t n, size_t size, uintptr_t a)
{
	size_t total;
	void *p;

	hd_omp_enter(HD_CALLER);
	if (__builtin_mul_overflow(n, size, &total))
		return NULL;
	p = aligned_alloc(align < sizeof(void *) ? sizeof(void *) : align, total);
	if (p)
		hd_rt_fill(p, 0, total);
	return p;
}

HD_EXPORT void *omp_realloc(void *p, size_t size, uintptr_t a, uintptr_t from)
{
	hd_omp_enter(HD_CALLER);
	return realloc(p, size);
}

HD_EXPORT void omp_free(void *p, uintptr_t a)
{
	hd_omp_enter(HD_CALLER);
	free(p);
}

HD_EXPORT void *GOMP_alloc(size_t align, size_t size, uintptr_t a)
{
	hd_omp_enter(HD_CALLER);
	return aligned_alloc(align < sizeof(void *) ? sizeof(void *) : align, size);
}

HD_EXPORT void GOMP_free(void *p, uintptr_t a)
{
	hd_omp_enter(HD_CALLER);
	free(p);
}
