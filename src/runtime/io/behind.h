/*
 * Work that somebody else does for the program: the kernel (io_uring), threads that are not the runtime's (clone). What
 * they do is not watched, and they are nobody's threads here.
 */
#ifndef HD_RUNTIME_BEHIND_H
#define HD_RUNTIME_BEHIND_H

#include <stdbool.h>

/*
 * May some of it be under way, so that a wait may be for it? Then a moment of real time has passed. @verdict: whoever
 * asks calls it a deadlock or a livelock if not, so it has to be certain.
 */
bool hd_rt_behind_works(bool verdict);
/* Make this system call, which may give the kernel work: what syscall(2) returns. */
long hd_rt_behind_call(long nr, const long *a);

#endif
