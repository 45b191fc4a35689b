/*
 * What the memory and string functions share.
 */
#ifndef HD_RUNTIME_LIBC_MEM_H
#define HD_RUNTIME_LIBC_MEM_H

#include "runtime/rt.h"
#ifndef HD_PARALLEL
#include "runtime/explore/explore_sites.h"
#endif

void __chk_fail(void) __attribute__((noreturn)); /* glibc: a fortified call would overflow */

/* This library's own code: struct copies there become calls of memcpy, and are no accesses. */
extern const char __ehdr_start[] __attribute__((visibility("hidden")));
extern const char __etext[] __attribute__((visibility("hidden")));

#ifdef HD_PARALLEL
static inline bool hd_rt_watched(uintptr_t caller)
{
	if (!hd_par_checked() ||
	    caller - (uintptr_t)__ehdr_start < (uintptr_t)(__etext - __ehdr_start))
		return false;
	return hd_rt_enter(caller) != NULL;
}

static inline bool hd_rt_watched_string(uintptr_t caller)
{
	return hd_rt_watched(caller);
}
#else
/* Must the call report what it touches? */
static inline bool hd_rt_watched(uintptr_t caller)
{
	if (likely(!hd_rt.mode))
		return false;
	if (caller - (uintptr_t)__ehdr_start < (uintptr_t)(__etext - __ehdr_start))
		return false;
	return hd_rt_enter(caller) != NULL;
}

/*
 * The same, for functions that find out themselves how much they touch: others may run now, and
 * not between that and the call.
 */
static inline bool hd_rt_watched_string(uintptr_t caller)
{
	if (!hd_rt_watched(caller))
		return false;
	if ((hd_rt.mode & HD_M_ACCESS_POINTS) || hd_rt_is_site(hd_rt.cur->pc))
		hd_rt_libc_point();
	return true;
}

#endif

/* A read of one range and an access to another, by one call. */
void hd_rt_two_ranges(const void *from, size_t nfrom, const void *to, size_t nto, bool write);

#endif
