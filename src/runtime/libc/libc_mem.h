/*
 * What the memory and string functions share.
 */
#ifndef HD_RUNTIME_LIBC_MEM_H
#define HD_RUNTIME_LIBC_MEM_H

#include "tasks/carrier.h"

void __chk_fail(void) __attribute__((noreturn)); /* glibc: a fortified call would overflow */

/* Bytes of @s that a function bounded by @max looks at, the terminator included. */
static inline size_t hd_rt_bytes_of(const char *s, size_t max)
{
	size_t n = 0;

	while (n < max && s[n])
		n++;
	return n < max ? n + 1 : max;
}

/* A read of one range and an access to another, by one call. */
void hd_rt_two_ranges(const void *from, size_t nfrom, const void *to, size_t nto, bool write);

#endif
