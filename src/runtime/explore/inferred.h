/*
 * Regions that the explorer has inferred: accesses of one task, up to its next scheduling point, to what
 * others access too. The option `region-sites` lists the instructions of such accesses, as switch-sites
 * does, in classes with ';' between them. At a task's first access of a class it opens a region of
 * that class, and others may run; the region is closed where the task comes to its next scheduling point.
 * Two that are open at once, one of them to write, are told to the explorer.
 */
#ifndef HD_RUNTIME_INFERRED_H
#define HD_RUNTIME_INFERRED_H

#include "runtime/rt.h"

/* False: it is no such list. */
bool hd_rt_inferred_read(const char *list);
/* Are there any? */
bool hd_rt_inferred_any(void);
/* The runtime is in charge: from now on they are opened. */
void hd_rt_inferred_start(void);
/* The current fiber is about to access. Only while HD_M_REGIONS. */
void hd_rt_inferred_access(uintptr_t pc, bool write);

#endif
