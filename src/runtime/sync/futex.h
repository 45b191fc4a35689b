#ifndef HD_RUNTIME_FUTEX_H
#define HD_RUNTIME_FUTEX_H

/* futex(2) with the six arguments @a; a value or -errno, as the kernel returns it. */
long hd_rt_futex(const long *a);

#endif
