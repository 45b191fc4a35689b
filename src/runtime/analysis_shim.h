/*
 * Included before every source of src/analysis that is built into the runtime:
 * there its memory comes from the arena, and nothing that we interpose is called.
 */
#ifndef HD_RUNTIME_ANALYSIS_SHIM_H
#define HD_RUNTIME_ANALYSIS_SHIM_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "runtime/memory/arena.h"

void *hd_rt_heap_get(size_t size);
void *hd_rt_heap_zeroed(size_t n, size_t size);
void *hd_rt_heap_resize(void *p, size_t size);
void hd_rt_heap_put(void *p);
int hd_rt_compare(const void *a, const void *b, size_t n);

#define malloc(size)	    hd_rt_heap_get(size)
#define calloc(n, size)	    hd_rt_heap_zeroed(n, size)
#define realloc(p, size)    hd_rt_heap_resize(p, size)
#define free(p)		    hd_rt_heap_put(p)
#define memcpy(to, from, n) hd_rt_copy(to, from, n)
#define memset(p, byte, n)  hd_rt_fill(p, byte, n)
#define snprintf(...)	    hd_rt_print(__VA_ARGS__)
#define memcmp(a, b, n)	    hd_rt_compare(a, b, n)
/* Only ever used to reserve address space; in the arena's range, not the program's. */
#define mmap(addr, len, prot, flags, fd, offset) hd_rt_reserve(len)
#define munmap(p, len)				 ((void)(p))

#endif
