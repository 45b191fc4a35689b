/*
 * The program's own remarks: heddle/heddle.h, and what it may say to
 * ThreadSanitizer.
 */
#include "abi.h"
#include "heddle/heddle.h"
#include "rt.h"

HD_EXPORT void heddle_atomic_begin(void)
{
	if (hd_rt_enter(HD_CALLER))
		hd_rt_event(HD_OP_BEGIN, 0, 0, 0);
}

HD_EXPORT void heddle_atomic_end(void)
{
	if (hd_rt_enter(HD_CALLER))
		hd_rt_event(HD_OP_END, 0, 0, 0);
}

HD_EXPORT void heddle_atomic_group(const void *ptr, size_t size, unsigned group)
{
	if (hd_rt_enter(HD_CALLER))
		hd_rt_event2(HD_OP_GROUP, (uintptr_t)ptr, size, group, 0);
}

HD_EXPORT void __tsan_acquire(void *addr)
{
	if (hd_rt_enter(HD_CALLER))
		hd_rt_event(HD_OP_HB_ACQUIRE, (uintptr_t)addr, 0, 0);
}

HD_EXPORT void __tsan_release(void *addr)
{
	if (hd_rt_enter(HD_CALLER))
		hd_rt_event(HD_OP_HB_RELEASE, (uintptr_t)addr, 0, 0);
}

/* ThreadSanitizer ignores accesses between these; a trace shows them all the same. */
HD_EXPORT void __tsan_ignore_thread_begin(void)
{
}

HD_EXPORT void __tsan_ignore_thread_end(void)
{
}
