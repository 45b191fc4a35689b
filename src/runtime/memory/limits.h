/* What a program says about its own memory. */
#ifndef HD_RUNTIME_LIMITS_H
#define HD_RUNTIME_LIMITS_H

#include <stdbool.h>
#include <stddef.h>

/* The program has mapped @p: if it wants to have what comes in memory (mlockall), it is. False: there is no room. */
bool hd_rt_keep_in_memory(const void *p, size_t len);

#endif
