/*
 * The allocators: the program's blocks come and go in the trace. No scheduling points.
 */
#include <link.h>
#include <malloc.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

#include "libc_calls.h"
#include "real.h"
#include "rt.h"

/* glibc's own, under names that nobody interposes: no lookup is needed. */
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *p, size_t size);
void *__libc_memalign(size_t align, size_t size);
void *__libc_valloc(size_t size);
void *__libc_pvalloc(size_t size);
void __libc_free(void *p);

/* Are blocks recorded, and does the caller count? */
static inline bool watched(uintptr_t caller)
{
	return hd_rt_watches_memory() && hd_rt_enter(caller);
}

static void *born(void *p, size_t size)
{
	int saved = errno;

	if (p)
		hd_rt_event(HD_OP_ALLOC, (uintptr_t)p, size, 0);
	errno = saved;
	return p;
}

/* Before the memory goes: a write's value can be read for the last time. */
static void dies(void *p)
{
	hd_rt_settle();
	hd_rt_event(HD_OP_FREE, (uintptr_t)p, HD_REAL(malloc_usable_size)(p), 0);
}

void *hd_rt_program_malloc(size_t size)
{
	void *p = __libc_malloc(size);

	return hd_rt_watches_memory() ? born(p, size) : p;
}

static void *watched_realloc(void *old, size_t size)
{
	size_t old_size = old ? HD_REAL(malloc_usable_size)(old) : 0;
	void *p;

	hd_rt_settle();
	p = __libc_realloc(old, size);
	if (old && p != old && (p || !size))
		hd_rt_event(HD_OP_FREE, (uintptr_t)old, old_size, 0);
	return born(p, size);
}

void *hd_rt_program_realloc(void *old, size_t size)
{
	return hd_rt_watches_memory() ? watched_realloc(old, size) : __libc_realloc(old, size);
}

HD_EXPORT void *malloc(size_t size)
{
	void *p = __libc_malloc(size);

	return watched(HD_CALLER) ? born(p, size) : p;
}

HD_EXPORT void *calloc(size_t n, size_t size)
{
	void *p = __libc_calloc(n, size);

	return watched(HD_CALLER) ? born(p, n * size) : p;
}

HD_EXPORT void *realloc(void *old, size_t size)
{
	return watched(HD_CALLER) ? watched_realloc(old, size) : __libc_realloc(old, size);
}

HD_EXPORT void *reallocarray(void *old, size_t n, size_t size)
{
	size_t total;

	if (__builtin_mul_overflow(n, size, &total)) {
		errno = ENOMEM;
		return NULL;
	}
	return watched(HD_CALLER) ? watched_realloc(old, total) : __libc_realloc(old, total);
}

/*
 * libc and the loader free what is theirs at moments when nobody else may run. (For all others a
 * plan may ask that something else comes before what they free is gone.)
 */
static int note_libc(struct dl_phdr_info *info, size_t size, void *arg)
{
	uintptr_t *range = arg, libc = (uintptr_t)__libc_free, loader = getauxval(AT_BASE);

	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *ph = &info->dlpi_phdr[i];
		uintptr_t low = info->dlpi_addr + ph->p_vaddr;

		if (ph->p_type != PT_LOAD || !(ph->p_flags & PF_X))
			continue;
		if (libc - low < ph->p_memsz)
			range += 0;
		else if (info->dlpi_addr == loader)
			range += 2;
		else
			continue;
		range[0] = low;
		range[1] = low + ph->p_memsz;
		return 0;
	}
	return 0;
}

static bool inside_libc(uintptr_t pc)
{
	static uintptr_t range[4]; /* of libc's code and of the loader's */

	if (!range[1]) {
		hd_rt.busy++;
		dl_iterate_phdr(note_libc, range);
		hd_rt.busy--;
	}
	return (pc >= range[0] && pc < range[1]) || (pc >= range[2] && pc < range[3]);
}

HD_EXPORT void free(void *p)
{
	uintptr_t caller = HD_CALLER;

	if (p && watched(caller)) {
		if (hd_rt.opt.wide && !inside_libc(caller))
			hd_rt_point();
		dies(p);
	}
	__libc_free(p);
}

HD_EXPORT void *memalign(size_t align, size_t size)
{
	void *p = __libc_memalign(align, size);

	return watched(HD_CALLER) ? born(p, size) : p;
}

HD_EXPORT void *aligned_alloc(size_t align, size_t size)
{
	void *p = __libc_memalign(align, size);

	return watched(HD_CALLER) ? born(p, size) : p;
}

HD_EXPORT int posix_memalign(void **out, size_t align, size_t size)
{
	int saved = errno;
	void *p;

	if (align % sizeof(void *) || !align || (align & (align - 1)))
		return EINVAL;
	p = __libc_memalign(align, size);
	errno = saved;
	if (!p)
		return ENOMEM;
	*out = watched(HD_CALLER) ? born(p, size) : p;
	return 0;
}

HD_EXPORT void *valloc(size_t size)
{
	void *p = __libc_valloc(size);

	return watched(HD_CALLER) ? born(p, size) : p;
}

HD_EXPORT void *pvalloc(size_t size)
{
	void *p = __libc_pvalloc(size);

	return watched(HD_CALLER) ? born(p, size) : p;
}

/* ---- mappings ----------------------------------------------------------- */

#define MMAP(name, offset_t)                                                                       \
	HD_EXPORT void *name(void *at, size_t len, int prot, int flags, int fd, offset_t offset)   \
	{                                                                                          \
		bool seen = watched(HD_CALLER);                                                    \
		void *p;                                                                           \
                                                                                                   \
		if (seen)                                                                          \
			hd_rt_settle();                                                            \
		p = HD_REAL(name)(at, len, prot, flags, fd, offset);                               \
		return seen && p != MAP_FAILED ? born(p, len) : p;                                 \
	}
MMAP(mmap, off_t)
MMAP(mmap64, off64_t)

HD_EXPORT int munmap(void *p, size_t len)
{
	if (watched(HD_CALLER)) {
		hd_rt_settle();
		hd_rt_event(HD_OP_FREE, (uintptr_t)p, len, HD_FREE_PAGES);
	}
	return HD_REAL(munmap)(p, len);
}

HD_EXPORT void *mremap(void *old, size_t old_len, size_t len, int flags, ...)
{
	bool seen = watched(HD_CALLER);
	va_list args;
	void *p, *at;

	va_start(args, flags);
	at = flags & MREMAP_FIXED ? va_arg(args, void *) : NULL;
	va_end(args);
	if (seen)
		hd_rt_settle();
	p = HD_REAL(mremap)(old, old_len, len, flags, at);
	if (!seen || p == MAP_FAILED)
		return p;
	hd_rt_event(HD_OP_FREE, (uintptr_t)old, old_len, HD_FREE_PAGES);
	return born(p, len);
}

HD_EXPORT int mprotect(void *p, size_t len, int prot)
{
	/* The last write may be to a page that can soon not be read. */
	if (hd_rt_enter(HD_CALLER))
		hd_rt_settle();
	return HD_REAL(mprotect)(p, len, prot);
}
