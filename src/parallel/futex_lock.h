/*
 * A lock between workers: a few rounds of trying, then sleep.
 */
#ifndef HD_PARALLEL_FUTEX_LOCK_H
#define HD_PARALLEL_FUTEX_LOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/sys.h"

struct hd_futex_lock {
	uint32_t word; /* 0: free, 1: taken, 2: taken, and somebody sleeps for it */
} __attribute__((aligned(64)));

static inline void hd_futex_lock(struct hd_futex_lock *l, int tries)
{
	while (tries--) {
		uint32_t none = 0;

		if (__atomic_load_n(&l->word, __ATOMIC_RELAXED) == 0 &&
		    __atomic_compare_exchange_n(&l->word, &none, 1, false, __ATOMIC_ACQUIRE,
						__ATOMIC_RELAXED))
			return;
		__builtin_ia32_pause();
	}
	while (__atomic_exchange_n(&l->word, 2, __ATOMIC_ACQUIRE))
		hd_sys(SYS_futex, &l->word, FUTEX_WAIT | FUTEX_PRIVATE_FLAG, 2, 0, 0, 0);
}

static inline void hd_futex_unlock(struct hd_futex_lock *l)
{
	if (__atomic_exchange_n(&l->word, 0, __ATOMIC_RELEASE) == 2)
		hd_sys(SYS_futex, &l->word, FUTEX_WAKE | FUTEX_PRIVATE_FLAG, 1, 0, 0, 0);
}

#endif
