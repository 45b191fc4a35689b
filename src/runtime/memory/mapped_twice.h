/*
 * Memory that the program has mapped at several addresses: one file or shared object, mapped twice, as ring
 * buffers do that wrap by themselves. What threads do there is named by one of the addresses, the one that
 * was mapped first, whichever they use; the operation itself is made where the program made it.
 */
#ifndef HD_RUNTIME_MAPPED_TWICE_H
#define HD_RUNTIME_MAPPED_TWICE_H

#include <stddef.h>

#include "runtime/rt.h"

/* The program has a new mapping that others may share. */
void hd_rt_mapped_shared(const void *p, size_t len);
/* The same of a segment of System V; when it goes nobody is told, so it keeps its own name. */
void hd_rt_attached(const void *p);
/* What was mapped there is gone, or can no longer be read. */
void hd_rt_unmapped(const void *p, size_t len);

/* The name of @addr, and of the bytes behind it: @len becomes how many of them have theirs behind it. */
uintptr_t hd_rt_name_of_mapped(uintptr_t addr, size_t *len);

static inline uintptr_t hd_rt_name_of(uintptr_t addr)
{
	size_t len = 1;

	return likely(!(hd_rt.mode & HD_M_TWICE)) ? addr : hd_rt_name_of_mapped(addr, &len);
}

#endif
