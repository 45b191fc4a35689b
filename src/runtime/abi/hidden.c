#include "hidden.h"

#include <sys/mman.h>

#include "runtime/sys.h"

/* Address space is used up, never reused: equal runs get equal addresses. */
static uintptr_t next = HD_HIDDEN_LOW;

static size_t pages(size_t size)
{
	return (size + 4095) & ~(size_t)4095;
}

void *hd_rt_hidden_alloc(size_t size)
{
	size_t len = pages(size ? size : 1);
	long p;

	if (next + len > HD_HIDDEN_LOW + HD_HIDDEN_SIZE)
		next = HD_HIDDEN_LOW;
	p = hd_sys(SYS_mmap, next, len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p < 0 && p > -4096)
		return NULL;
	next = (uintptr_t)p + len;
	return (void *)p;
}

void hd_rt_hidden_free(void *p, size_t size)
{
	hd_sys(SYS_munmap, p, pages(size ? size : 1));
}
