#ifndef HD_RUNTIME_MUTEX_H
#define HD_RUNTIME_MUTEX_H

#include "runtime/rt.h"

/* For condition variables: is it ours, give it back, take it again. */
bool hd_rt_mutex_mine(pthread_mutex_t *m);
bool hd_rt_mutex_locked(const pthread_mutex_t *m);
/* Does POSIX promise EPERM to those who do not own it? Then asking is no misuse. */
bool hd_rt_mutex_checks_owner(const pthread_mutex_t *m);
/* One level only, as glibc does: whoever waits with a recursive mutex taken twice keeps it. */
void hd_rt_mutex_drop(pthread_mutex_t *m);
int hd_rt_mutex_retake(pthread_mutex_t *m);
/* Take it, or once more where it is ours already, of whatever kind it is: sections.h. */
void hd_rt_mutex_keep(pthread_mutex_t *m);

/* What every lock call does; @how is HD_LOCK_TRY, HD_LOCK_TIMED or 0. */
int hd_rt_mutex_lock(pthread_mutex_t *m, uint16_t how, uint64_t deadline);
int hd_rt_mutex_unlock(pthread_mutex_t *m);

/* Whom does a blocked fiber wait for, where exactly one other can help? 0: unknown. */
uint32_t hd_rt_waits_for(const struct fiber *f);

/*
 * The current fiber is about to wait for @addr, which @owner (a thread number) holds: if that one,
 * or whom it waits for, waits for us, nobody will ever go on; reported at once.
 */
void hd_rt_check_cycle(uint32_t owner, enum hd_thread_state why, uintptr_t addr);

#endif
