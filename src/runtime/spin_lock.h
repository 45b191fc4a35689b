/*
 * A lock for a few instructions: whoever finds it taken looks again.
 */
#ifndef HD_RUNTIME_SPIN_LOCK_H
#define HD_RUNTIME_SPIN_LOCK_H

static inline void hd_spin_lock(int *lock)
{
	while (__atomic_exchange_n(lock, 1, __ATOMIC_ACQUIRE))
		__builtin_ia32_pause();
}

static inline void hd_spin_unlock(int *lock)
{
	__atomic_store_n(lock, 0, __ATOMIC_RELEASE);
}

#endif
