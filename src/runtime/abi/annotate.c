/*
 * The program's own remarks: heddle/heddle.h, and what it may say to
 * ThreadSanitizer.
 */
#include "abi.h"
#include "heddle/heddle.h"
#include "tasks/carrier.h"

HD_EXPORT void heddle_atomic_begin(void)
{
	if (hd_carrier_enter(HD_CALLER)) {
		hd_carrier_fine_point();
		hd_carrier_event(HD_OP_BEGIN, 0, 0, 0);
	}
}

HD_EXPORT void heddle_atomic_end(void)
{
	if (hd_carrier_enter(HD_CALLER)) {
		hd_carrier_fine_point();
		hd_carrier_event(HD_OP_END, 0, 0, 0);
	}
}

HD_EXPORT void heddle_atomic_group(const void *ptr, size_t size, unsigned group)
{
	if (hd_carrier_enter(HD_CALLER))
		hd_carrier_event2(HD_OP_GROUP, (uintptr_t)ptr, size, group, 0);
}

HD_EXPORT void heddle_check_data(const void *ptr, size_t size)
{
	hd_carrier_named((uintptr_t)ptr, size, HD_CALLER);
}

HD_EXPORT void heddle_assume_failed(void)
{
	if (hd_carrier_enter(HD_CALLER))
		hd_carrier_assumption_failed();
}

HD_EXPORT void __tsan_acquire(void *addr)
{
	if (hd_carrier_enter(HD_CALLER)) {
		hd_carrier_fine_point();
		hd_carrier_event(HD_OP_HB_ACQUIRE, (uintptr_t)addr, 0, 0);
	}
}

HD_EXPORT void __tsan_release(void *addr)
{
	if (hd_carrier_enter(HD_CALLER)) {
		hd_carrier_fine_point();
		hd_carrier_event(HD_OP_HB_RELEASE, (uintptr_t)addr, 0, 0);
	}
}

/* ThreadSanitizer ignores accesses between these; a trace shows them all the same. */
HD_EXPORT void __tsan_ignore_thread_begin(void)
{
}

HD_EXPORT void __tsan_ignore_thread_end(void)
{
}

/*
 * Locks that a program builds itself and tells ThreadSanitizer about. Their atomics
 * order threads as it is; this adds that they are locks.
 */
#define MUTEX_READ	 (1u << 3)
#define MUTEX_TRY_FAILED (1u << 5)

static uint16_t mode_of(unsigned flags)
{
	return flags & MUTEX_READ ? HD_LOCK_RWLOCK | HD_LOCK_SHARED : HD_LOCK_MUTEX;
}

HD_EXPORT void __tsan_mutex_create(void *addr, unsigned flags)
{
	if (hd_carrier_enter(HD_CALLER))
		hd_carrier_event(HD_OP_LOCK_INIT, (uintptr_t)addr, 0, HD_LOCK_MUTEX);
}

HD_EXPORT void __tsan_mutex_destroy(void *addr, unsigned flags)
{
	if (hd_carrier_enter(HD_CALLER))
		hd_carrier_event(HD_OP_LOCK_DESTROY, (uintptr_t)addr, 0, HD_LOCK_MUTEX);
}

HD_EXPORT void __tsan_mutex_pre_lock(void *addr, unsigned flags)
{
}

HD_EXPORT void __tsan_mutex_post_lock(void *addr, unsigned flags, int recursion)
{
	if (!(flags & MUTEX_TRY_FAILED) && hd_carrier_enter(HD_CALLER))
		hd_carrier_event(HD_OP_ACQUIRE, (uintptr_t)addr, 0, mode_of(flags));
}

HD_EXPORT int __tsan_mutex_pre_unlock(void *addr, unsigned flags)
{
	if (hd_carrier_enter(HD_CALLER))
		hd_carrier_event(HD_OP_RELEASE, (uintptr_t)addr, 0, mode_of(flags));
	return 0;
}

HD_EXPORT void __tsan_mutex_post_unlock(void *addr, unsigned flags)
{
}

HD_EXPORT void __tsan_mutex_pre_signal(void *addr, unsigned flags)
{
}

HD_EXPORT void __tsan_mutex_post_signal(void *addr, unsigned flags)
{
}

HD_EXPORT void __tsan_mutex_pre_divert(void *addr, unsigned flags)
{
}

HD_EXPORT void __tsan_mutex_post_divert(void *addr, unsigned flags)
{
}

/* The program's own fibers: they stay in their thread, so program order covers them. */
static char only_fiber;

HD_EXPORT void *__tsan_get_current_fiber(void)
{
	return &only_fiber;
}

HD_EXPORT void *__tsan_create_fiber(unsigned flags)
{
	return &only_fiber;
}

HD_EXPORT void __tsan_destroy_fiber(void *fiber)
{
}

HD_EXPORT void __tsan_switch_to_fiber(void *fiber, unsigned flags)
{
}

HD_EXPORT void __tsan_set_fiber_name(void *fiber, const char *name)
{
}
