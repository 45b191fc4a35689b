/*
 * Condition variables. They have no state but their waiters, which are found by
 * address; only the clock is in the object, where glibc's init put it.
 */
#include <errno.h>

#include "between.h"
#include "mutex.h"
#include "object_type.h"
#include "sections.h"
#include "runtime/explore/explore.h"
#include "runtime/memory/arena.h"
#include "runtime/observe/findings.h"
#include "runtime/real.h"
#include "runtime/sched/policy.h"
#include "runtime/thread/thread.h"

#define MONOTONIC_BIT 2u /* of __wrefs, set by glibc's pthread_cond_init */

/*
 * Spurious wake-ups depend on the thread and on how often it has waited, on nothing else: they
 * happen alike in a replay, and to the same waits when threads run in another order.
 */
static bool spurious(struct fiber *me)
{
	struct hd_rng rng;

	if (!hd_rt.opt.spurious)
		return false;
	hd_rng_seed(&rng,
		    (hd_rt.opt.seed ^ 0x5bd1e995) + ((uint64_t)me->id << 32) + me->policy.waits++);
	return hd_rng_below(&rng, 8) == 0;
}

/* Somebody may go on, as soon as the mutex is free. */
static void let_go(struct fiber *f)
{
	pthread_mutex_t *m = f->wait.mutex;

	if (hd_rt_mutex_locked(m) && (uint32_t)m->__data.__owner != f->id)
		hd_rt_requeue(f, HD_TS_MUTEX, (uintptr_t)m, false);
}

/* POSIX leaves open what happens if threads wait for one condition variable with several mutexes. */
static void check_mutex(pthread_cond_t *c, const pthread_mutex_t *m)
{
	const struct fiber *other = hd_rt_first_waiter(HD_TS_COND, (uintptr_t)c);

	if (other && other->wait.mutex != m)
		hd_rt_misuse((uintptr_t)c,
			     "wait with another mutex than that of a thread that already waits");
}

static int wait(pthread_cond_t *c, pthread_mutex_t *m, uint64_t deadline)
{
	struct fiber *me = hd_rt.cur;
	enum hd_wake w = HD_WOKEN;
	uint32_t by = 0;
	int rc, result;

	hd_rt_testcancel();
	hd_rt_point();
	hd_rt_used_as(c, HD_OBJECT_COND, "wait");
	if (!hd_rt_mutex_mine(m)) {
		if (hd_rt_mutex_checks_owner(m))
			return EPERM;
		hd_rt_misuse((uintptr_t)c, hd_rt_mutex_locked(m)
						   ? "wait with a mutex that another thread holds"
						   : "wait with a mutex that is not locked");
		return EPERM;
	}
	check_mutex(c, m);
	hd_rt_event(HD_OP_WAIT, (uintptr_t)c, (uint64_t)(uintptr_t)m, 0);
	if (unlikely(me->locks.kept == m))
		hd_rt_section_leave(me);
	hd_rt_mutex_drop(m);
	me->wait.mutex = m;
	if (hd_rt_is_past(deadline)) {
		w = HD_TIMEOUT;
		hd_rt_expired();
		hd_rt_spin();
		hd_rt_point();
	} else if (spurious(me)) {
		hd_rt_point();
	} else if (hd_rt_between(c)) {
		hd_rt_between_pause(c); /* and wakes up, with a reason or without */
	} else {
		/* A signal handler may end it: POSIX lets waits wake up for no reason. */
		w = hd_rt_block_cancellable(HD_TS_COND, (uintptr_t)c, deadline, true);
		by = me->wait.by;
	}
	rc = hd_rt_mutex_retake(m);
	result = w == HD_TIMEOUT ? ETIMEDOUT : rc;
	hd_rt_event2(HD_OP_WAKE, (uintptr_t)c, w == HD_WOKEN ? by : 0, (uint64_t)result, 0);
	if (w == HD_CANCELLED)
		hd_rt_testcancel();
	return result;
}

static int timed(pthread_cond_t *c, pthread_mutex_t *m, clockid_t clock, const struct timespec *t)
{
	if (t->tv_nsec < 0 || t->tv_nsec >= 1000000000)
		return EINVAL;
	return wait(c, m, hd_rt_deadline_abs(clock, t));
}

HD_EXPORT int pthread_cond_init(pthread_cond_t *c, const pthread_condattr_t *attr)
{
	if (hd_rt_enter(HD_CALLER)) {
		hd_rt_explore_touch((uintptr_t)c);
		if (hd_rt_has_waiters((uintptr_t)c))
			hd_rt_misuse(
				(uintptr_t)c,
				"initialisation of a condition variable that threads wait for");
	}
	return HD_REAL(pthread_cond_init)(c, attr);
}

HD_EXPORT int pthread_cond_destroy(pthread_cond_t *c)
{
	if (!hd_rt_enter(HD_CALLER))
		return HD_REAL(pthread_cond_destroy)(c);
	hd_rt_point();
	hd_rt_used_as(c, HD_OBJECT_COND, "destruction");
	hd_rt_explore_touch((uintptr_t)c);
	if (hd_rt_has_waiters((uintptr_t)c)) {
		hd_rt_misuse((uintptr_t)c,
			     "destruction of a condition variable that threads wait for");
		return EBUSY;
	}
	return 0;
}

HD_EXPORT int pthread_cond_wait(pthread_cond_t *c, pthread_mutex_t *m)
{
	int rc;

	if (!hd_rt_enter(HD_CALLER))
		return HD_REAL(pthread_cond_wait)(c, m);
	do
		rc = wait(c, m, HD_NEVER);
	while (!rc && unlikely(hd_rt_waits_again(hd_rt.cur)));
	return rc;
}

HD_EXPORT int pthread_cond_timedwait(pthread_cond_t *c, pthread_mutex_t *m,
				     const struct timespec *t)
{
	if (!hd_rt_enter(HD_CALLER))
		return HD_REAL(pthread_cond_timedwait)(c, m, t);
	return timed(c, m, c->__data.__wrefs & MONOTONIC_BIT ? CLOCK_MONOTONIC : CLOCK_REALTIME, t);
}

HD_EXPORT int pthread_cond_clockwait(pthread_cond_t *c, pthread_mutex_t *m, clockid_t clock,
				     const struct timespec *t)
{
	return hd_rt_enter(HD_CALLER) ? timed(c, m, clock, t)
				      : HD_REAL(pthread_cond_clockwait)(c, m, clock, t);
}

HD_EXPORT int pthread_cond_signal(pthread_cond_t *c)
{
	struct fiber *f;

	if (!hd_rt_enter(HD_CALLER))
		return HD_REAL(pthread_cond_signal)(c);
	hd_rt_point();
	hd_rt_used_as(c, HD_OBJECT_COND, "signal");
	f = hd_rt_wake_one(HD_TS_COND, (uintptr_t)c);
	if (f) {
		hd_rt.soft_progress++;
		let_go(f);
	}
	hd_rt_event(HD_OP_NOTIFY, (uintptr_t)c, f ? f->id : 0, 0);
	return 0;
}

static void sort_by_age(struct fiber **list, unsigned n)
{
	for (unsigned gap = n / 2; gap; gap = gap == 2 ? 1 : gap * 5 / 11) { /* Shell's */
		for (unsigned i = gap, k; i < n; i++) {
			struct fiber *f = list[i];

			for (k = i; k >= gap && list[k - gap]->id > f->id; k -= gap)
				list[k] = list[k - gap];
			list[k] = f;
		}
	}
}

/* All who wait for @c, in the order in which they were created. */
static unsigned wake_by_age(pthread_cond_t *c)
{
	struct fiber *first = hd_rt_first_waiter(HD_TS_COND, (uintptr_t)c), *few[64], **list = few;
	unsigned n = 0;

	for (struct fiber *f = first; f; f = hd_rt_next_waiter(f))
		n++;
	if (n > 64)
		list = hd_rt_alloc(n * sizeof(*list));
	n = 0;
	for (struct fiber *f = first; f; f = hd_rt_next_waiter(f))
		list[n++] = f;
	sort_by_age(list, n);
	for (unsigned i = 0; i < n; i++) {
		hd_rt_wake(list[i], HD_WOKEN);
		let_go(list[i]);
	}
	if (list != few)
		hd_rt_free(list, n * sizeof(*list));
	return n;
}

HD_EXPORT int pthread_cond_broadcast(pthread_cond_t *c)
{
	uint64_t n;

	if (!hd_rt_enter(HD_CALLER))
		return HD_REAL(pthread_cond_broadcast)(c);
	hd_rt_point();
	hd_rt_used_as(c, HD_OBJECT_COND, "broadcast");
	n = wake_by_age(c);
	hd_rt.soft_progress += n != 0;
	hd_rt_event(HD_OP_NOTIFY_ALL, (uintptr_t)c, n, 0);
	return 0;
}
