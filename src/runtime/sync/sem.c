/*
 * Semaphores. glibc keeps the value in the first word of sem_t; so do we, so that
 * sem_open stays glibc's, and sem_getvalue (libc_touches.def) can ask it.
 */
#include <errno.h>
#include <limits.h>
#include <semaphore.h>

#include "between.h"
#include "object_type.h"
#include "runtime/explore/explore.h"
#include "runtime/libc/libc_calls.h"
#include "runtime/observe/findings.h"
#include "runtime/real.h"
#include "runtime/thread/thread.h"

static uint32_t *value_of(sem_t *s)
{
	return (uint32_t *)s;
}

static int fail(int error)
{
	errno = error;
	return -1;
}

static int time_is_up(sem_t *s)
{
	hd_rt_event(HD_OP_ACQUIRE_FAIL, (uintptr_t)s, ETIMEDOUT, HD_LOCK_TIMED);
	hd_rt_spin();
	return fail(ETIMEDOUT);
}

/* One less, if there is one; another process may be quicker. */
static bool take_one(sem_t *s)
{
	uint32_t *v = value_of(s), seen;

	if (!hd_rt_between(s)) {
		if (*v == 0)
			return false;
		--*v;
		return true;
	}
	while ((seen = __atomic_load_n(v, __ATOMIC_SEQ_CST)) != 0) {
		if (hd_rt_between_swap(v, seen, seen - 1))
			return true;
	}
	return false;
}

/*
 * Need an explorer not let the current fiber begin to wait? It has to where that can be noticed: a handler
 * interrupts the wait, and who shares the semaphore from another process may post it at any time.
 */
static bool may_stand_before(sem_t *s, bool try, uint64_t deadline)
{
	return deadline != HD_NEVER ||
	       (hd_rt.opt.any_time && !try && !hd_rt_between(s) && !hd_rt_signals_handled());
}

static int down(sem_t *s, bool try, uint64_t deadline)
{
	uint32_t *v = value_of(s);
	bool stood = false;

	if (!try)
		hd_rt_testcancel();
	if (may_stand_before(s, try, deadline)) {
		hd_rt_point_before_timed(HD_TS_SEM, (uintptr_t)s, deadline);
		stood = hd_rt.exploring && deadline == HD_NEVER;
	} else {
		hd_rt_point();
	}
	hd_rt_used_as(s, HD_OBJECT_SEM, "wait");
	while (!take_one(s)) {
		enum hd_wake w;

		stood = false;

		if (try) {
			hd_rt_event(HD_OP_ACQUIRE_FAIL, (uintptr_t)s, EAGAIN, HD_LOCK_TRY);
			hd_rt_spin();
			return fail(EAGAIN);
		}
		if (hd_rt_too_late(deadline))
			return time_is_up(s);
		if (hd_rt_between(s)) {
			hd_rt_between_pause(s);
			continue;
		}
		w = hd_rt_block_cancellable(HD_TS_SEM, (uintptr_t)s, deadline, true);
		if (w == HD_CANCELLED)
			hd_rt_testcancel();
		if (w == HD_TIMEOUT)
			return time_is_up(s);
		if (w == HD_INTERRUPTED && !hd_rt_signals_restart())
			return fail(EINTR);
	}
	hd_rt.soft_progress++;
	if (*v == 0)
		hd_rt_disable(HD_TS_SEM, (uintptr_t)s);
	if (stood)
		hd_rt_explore_takes();
	hd_rt_event(HD_OP_SEM_WAIT, (uintptr_t)s, *v, 0);
	return 0;
}

static int timed(sem_t *s, clockid_t clock, const struct timespec *t)
{
	if (t->tv_nsec < 0 || t->tv_nsec >= 1000000000)
		return *value_of(s) ? down(s, false, HD_NEVER) : fail(EINVAL);
	return down(s, false, hd_rt_deadline_abs(clock, t));
}

HD_EXPORT int sem_wait(sem_t *s)
{
	return hd_rt_enter(HD_CALLER) ? down(s, false, HD_NEVER) : HD_REAL(sem_wait)(s);
}

HD_EXPORT int sem_trywait(sem_t *s)
{
	return hd_rt_enter(HD_CALLER) ? down(s, true, HD_NEVER) : HD_REAL(sem_trywait)(s);
}

HD_EXPORT int sem_timedwait(sem_t *s, const struct timespec *t)
{
	return hd_rt_enter(HD_CALLER) ? timed(s, CLOCK_REALTIME, t) : HD_REAL(sem_timedwait)(s, t);
}

HD_EXPORT int sem_clockwait(sem_t *s, clockid_t clock, const struct timespec *t)
{
	return hd_rt_enter(HD_CALLER) ? timed(s, clock, t) : HD_REAL(sem_clockwait)(s, clock, t);
}

HD_EXPORT int sem_post(sem_t *s)
{
	uint32_t *v = value_of(s);

	if (!hd_rt_enter(HD_CALLER))
		return HD_REAL(sem_post)(s);
	hd_rt_point();
	hd_rt_used_as(s, HD_OBJECT_SEM, "post");
	if (*v == SEM_VALUE_MAX)
		return fail(EOVERFLOW);
	if (hd_rt_between(s)) {
		hd_rt_event(HD_OP_SEM_POST, (uintptr_t)s, *v + 1, 0);
		hd_rt.soft_progress++;
		return HD_REAL(sem_post)(s); /* whoever waits for it natively is woken */
	}
	++*v;
	hd_rt.soft_progress++;
	hd_rt_event(HD_OP_SEM_POST, (uintptr_t)s, *v, 0);
	hd_rt_enable(HD_TS_SEM, (uintptr_t)s);
	return 0;
}

HD_EXPORT int sem_init(sem_t *s, int shared, unsigned value)
{
	int rc = HD_REAL(sem_init)(s, shared, value);

	if (rc == 0 && hd_rt_enter(HD_CALLER)) {
		hd_rt_made_as(s, HD_OBJECT_SEM);
		hd_rt_explore_touch((uintptr_t)s);
	}
	return rc;
}

HD_EXPORT int sem_destroy(sem_t *s)
{
	if (!hd_rt_enter(HD_CALLER))
		return HD_REAL(sem_destroy)(s);
	hd_rt_point();
	hd_rt_explore_touch((uintptr_t)s);
	if (hd_rt_has_waiters((uintptr_t)s) || hd_rt_explore_stands_before(HD_TS_SEM, (uintptr_t)s))
		hd_rt_misuse((uintptr_t)s, "destruction of a semaphore that threads wait for");
	hd_rt_used_as(s, HD_OBJECT_SEM, "destruction");
	hd_rt_made_as(s, HD_OBJECT_NEW);
	return HD_REAL(sem_destroy)(s);
}
