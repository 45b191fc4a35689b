/*
 * What the memory and string functions share.
 */
#ifndef HD_RUNTIME_LIBC_MEM_H
#define HD_RUNTIME_LIBC_MEM_H

#include "tasks/carrier.h"

void __chk_fail(void) __attribute__((noreturn)); /* glibc: a fortified call would overflow */

/* A read of one range and an access to another, by one call. */
void hd_rt_two_ranges(const void *from, size_t nfrom, const void *to, size_t nto, bool write);

#endif
