/*
 * Work that somebody else does for the program: threads of libc's own (aio_*, getaddrinfo_a), the
 * kernel (io_uring). What they do is not watched, and they are nobody's threads here.
 */
#ifndef HD_RUNTIME_BEHIND_H
#define HD_RUNTIME_BEHIND_H

#include <stdbool.h>

/* Is some of it under way, so that a wait may be for it? Then a moment of real time has passed. */
bool hd_rt_behind_works(void);

/* The program is about to make this system call, which may give the kernel work. */
void hd_rt_behind_call(long nr, const long *a);

#endif
