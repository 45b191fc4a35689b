/*
 * seccomp: filters on system calls that the program installs.
 */
#ifndef HD_RUNTIME_SECCOMP_FILTERS_H
#define HD_RUNTIME_SECCOMP_FILTERS_H

/* seccomp(2). */
int hd_rt_seccomp(unsigned operation, unsigned flags, void *args);
/* prctl(PR_SET_SECCOMP, @mode, @filter). */
int hd_rt_seccomp_mode(unsigned long mode, void *filter);

#endif
