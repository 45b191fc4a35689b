/*
 * One-time initialisation: pthread_once, and the guards of C++ function-local statics.
 */
#include "runtime/real.h"
#include "runtime/rt.h"

enum { ONCE_NEW = 0, ONCE_RUNNING = 1, ONCE_DONE = 2 }; /* DONE as in glibc */

struct attempt {
	pthread_once_t *once;
	bool finished;
};

/* Also runs when the routine is left by an exception or by cancellation: then it counts as never tried. */
static void settle(struct attempt *a)
{
	*a->once = a->finished ? ONCE_DONE : ONCE_NEW;
	hd_rt.soft_progress++;
	hd_rt_event(HD_OP_ONCE_END, (uintptr_t)a->once, 0, 0);
	hd_rt_wake_all(HD_TS_ONCE, (uintptr_t)a->once);
}

static void run(pthread_once_t *once, void (*routine)(void))
{
	__attribute__((cleanup(settle))) struct attempt a = { .once = once };

	*once = ONCE_RUNNING;
	hd_rt_event(HD_OP_ONCE_BEGIN, (uintptr_t)once, 0, 0);
	routine();
	a.finished = true;
}

HD_EXPORT int pthread_once(pthread_once_t *once, void (*routine)(void))
{
	uintptr_t caller = HD_CALLER;

	if (!hd_rt_enter(caller))
		return HD_REAL(pthread_once)(once, routine);
	hd_rt_point();
	while (*once == ONCE_RUNNING)
		hd_rt_block(HD_TS_ONCE, (uintptr_t)once, HD_NEVER);
	if (*once == ONCE_NEW) {
		run(once, routine);
		hd_rt_enter(caller);
	} else {
		hd_rt_event(HD_OP_ONCE_PASS, (uintptr_t)once, 0, 0);
	}
	return 0;
}

/* The guard's first byte says done (the compiler tests it), the second that it is being done. */
int __cxa_guard_acquire(uint8_t *guard);
void __cxa_guard_release(uint8_t *guard);
void __cxa_guard_abort(uint8_t *guard);

HD_EXPORT int __cxa_guard_acquire(uint8_t *guard)
{
	bool seen = hd_rt_enter(HD_CALLER);

	if (seen)
		hd_rt_point();
	while (seen && guard[1])
		hd_rt_block(HD_TS_ONCE, (uintptr_t)guard, HD_NEVER);
	if (guard[0]) {
		if (seen)
			hd_rt_event(HD_OP_ONCE_PASS, (uintptr_t)guard, 0, 0);
		return 0;
	}
	guard[1] = 1;
	if (seen)
		hd_rt_event(HD_OP_ONCE_BEGIN, (uintptr_t)guard, 0, 0);
	return 1;
}

static void guard_end(uint8_t *guard, bool done, uintptr_t caller)
{
	bool seen = hd_rt_enter(caller);

	if (seen)
		hd_rt_fine_point();
	guard[0] = done;
	guard[1] = 0;
	if (!seen)
		return;
	hd_rt.soft_progress++;
	hd_rt_event(HD_OP_ONCE_END, (uintptr_t)guard, 0, 0);
	/* Later callers look at the guard by an atomic load of their own, in line. */
	hd_rt_atomic_store_event((uintptr_t)guard, 1, done);
	hd_rt_wake_all(HD_TS_ONCE, (uintptr_t)guard);
}

HD_EXPORT void __cxa_guard_release(uint8_t *guard)
{
	guard_end(guard, true, HD_CALLER);
}

HD_EXPORT void __cxa_guard_abort(uint8_t *guard)
{
	guard_end(guard, false, HD_CALLER);
}
