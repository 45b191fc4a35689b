/*
 * Read-write locks. In the program's pthread_rwlock_t: __readers counts readers,
 * __cur_writer is the writer's thread number. Readers do not wait for waiting
 * writers, which is glibc's default, and a schedule decides who comes first, unless
 * the program asked for PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP.
 */
#include <errno.h>

#include "mutex.h"
#include "object_type.h"
#include "runtime/explore/explore.h"
#include "runtime/memory/mapped_twice.h"
#include "runtime/observe/findings.h"
#include "runtime/real.h"
#include "runtime/thread/thread.h"

static bool writer_waits(const pthread_rwlock_t *l)
{
	for (const struct fiber *f = hd_rt.all; f; f = f->next) {
		if (f != hd_rt.cur && f->wait.prev && f->wait.why == HD_TS_RWLOCK_WRITE &&
		    f->wait.addr == hd_rt_name_of((uintptr_t)l))
			return true;
	}
	return false;
}

static bool writers_first(const pthread_rwlock_t *l)
{
	return l->__data.__flags == PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP;
}

static bool free_for(const pthread_rwlock_t *l, bool write)
{
	if (l->__data.__cur_writer || (write && l->__data.__readers))
		return false;
	return write || !writers_first(l) || !writer_waits(l);
}

/*
 * Where writers come first, a writer that begins to wait keeps readers out: that is an operation, and
 * so is everything that a reader or writer who waits could notice. An explorer lets both find out.
 */
static void point_before(pthread_rwlock_t *l, enum hd_thread_state why, uint64_t deadline)
{
	if (why != HD_TS_RUNNING && writers_first(l))
		hd_rt_point();
	else
		hd_rt_point_before_timed(why, (uintptr_t)l, deadline);
}

static uintptr_t queue_of(const pthread_rwlock_t *l)
{
	return (uintptr_t)l + 1;
}

static void queue_changes(const pthread_rwlock_t *l, bool waited)
{
	if (unlikely(hd_rt.exploring) && writers_first(l))
		hd_rt_explore_turn(queue_of(l), waited);
}

/* Where time orders nothing, a wait that ends by itself is not begun: then nobody is kept out by it. */
static bool gives_up(const pthread_rwlock_t *l, uint64_t deadline)
{
	if (!hd_rt_too_late(deadline))
		return false;
	if (writers_first(l))
		hd_rt_explore_uses(HD_X_USES_TIMERS);
	return true;
}

static void enable_waiters(pthread_rwlock_t *l)
{
	if (free_for(l, true))
		hd_rt_enable(HD_TS_RWLOCK_WRITE, (uintptr_t)l);
	if (free_for(l, false))
		hd_rt_enable(HD_TS_RWLOCK_READ, (uintptr_t)l);
}

static void take(pthread_rwlock_t *l, bool write, uint16_t how)
{
	uint16_t mode = (uint16_t)(HD_LOCK_RWLOCK | (write ? HD_LOCK_EXCLUSIVE : HD_LOCK_SHARED));

	if (write)
		l->__data.__cur_writer = (int)hd_rt.cur->id;
	else
		l->__data.__readers++;
	hd_rt_lock_moved();
	hd_rt_disable(HD_TS_RWLOCK_WRITE, (uintptr_t)l);
	if (write)
		hd_rt_disable(HD_TS_RWLOCK_READ, (uintptr_t)l);
	hd_rt_held_add((uintptr_t)l, mode);
	hd_rt_event(HD_OP_ACQUIRE, (uintptr_t)l, 0, mode | how);
}

static int lock(pthread_rwlock_t *l, bool write, uint16_t how, uint64_t deadline)
{
	uint16_t mode =
		(uint16_t)(HD_LOCK_RWLOCK | how | (write ? HD_LOCK_EXCLUSIVE : HD_LOCK_SHARED));
	enum hd_thread_state why = write ? HD_TS_RWLOCK_WRITE : HD_TS_RWLOCK_READ;
	int error = how & HD_LOCK_TRY ? EBUSY : ETIMEDOUT;
	bool waited = false;

	if (unlikely(hd_rt.opt.any_time))
		hd_rt_spin(); /* a loop that looks at what the lock guards */
	point_before(l, how & HD_LOCK_TRY ? HD_TS_RUNNING : why, deadline);
	hd_rt_used_as(l, HD_OBJECT_RWLOCK, "lock");
	/* A reader that wants to write waits for itself, as natively. */
	if (!(how & HD_LOCK_TRY) && (uint32_t)l->__data.__cur_writer == hd_rt.cur->id)
		return EDEADLK;
	while (!free_for(l, write)) {
		if (how & HD_LOCK_TRY)
			goto fail;
		if (deadline == HD_NEVER)
			hd_rt_check_cycle((uint32_t)l->__data.__cur_writer, why, (uintptr_t)l);
		if (gives_up(l, deadline))
			goto fail;
		queue_changes(l, waited);
		if (hd_rt_block(why, (uintptr_t)l, deadline) == HD_TIMEOUT)
			goto fail;
		waited = true;
	}
	if (!write && l->__data.__readers == UINT32_MAX)
		return EAGAIN;
	queue_changes(l, waited);
	take(l, write, how);
	return 0;
fail:
	queue_changes(l, waited);
	enable_waiters(l); /* readers that waited for us to come first */
	hd_rt_event(HD_OP_ACQUIRE_FAIL, (uintptr_t)l, (uint64_t)error, mode);
	hd_rt_spin_tried_once();
	return error;
}

static int timed(pthread_rwlock_t *l, bool write, clockid_t clock, const struct timespec *abstime)
{
	if (abstime->tv_nsec < 0 || abstime->tv_nsec >= 1000000000)
		return EINVAL;
	return lock(l, write, HD_LOCK_TIMED, hd_rt_deadline_abs(clock, abstime));
}

HD_EXPORT int pthread_rwlock_unlock(pthread_rwlock_t *l)
{
	struct hd_held *h;
	bool write;

	if (!hd_rt_enter(HD_CALLER))
		return HD_REAL(pthread_rwlock_unlock)(l);
	hd_rt_point();
	hd_rt_used_as(l, HD_OBJECT_RWLOCK, "unlock");
	h = hd_rt_held_find(hd_rt.cur, (uintptr_t)l);
	write = l->__data.__cur_writer != 0;
	if (!h) {
		if (!write && !l->__data.__readers) {
			hd_rt_misuse((uintptr_t)l,
				     "unlock of a read-write lock that is not locked");
			return 0;
		}
		hd_rt_misuse((uintptr_t)l,
			     "unlock of a read-write lock that this thread does not hold");
		if (write)
			hd_rt_disown(l->__data.__cur_writer, (uintptr_t)l);
	}
	queue_changes(l, false);
	hd_rt_event(HD_OP_RELEASE, (uintptr_t)l, 0,
		    (uint16_t)(HD_LOCK_RWLOCK | (write ? HD_LOCK_EXCLUSIVE : HD_LOCK_SHARED)));
	hd_rt_held_remove((uintptr_t)l);
	if (write)
		l->__data.__cur_writer = 0;
	else
		l->__data.__readers--;
	hd_rt_lock_moved();
	enable_waiters(l);
	return 0;
}

HD_EXPORT int pthread_rwlock_init(pthread_rwlock_t *l, const pthread_rwlockattr_t *attr)
{
	int rc = HD_REAL(pthread_rwlock_init)(l, attr);

	if (hd_rt_enter(HD_CALLER)) {
		hd_rt_made_as(l, HD_OBJECT_RWLOCK);
		hd_rt_event(HD_OP_LOCK_INIT, (uintptr_t)l, 0, HD_LOCK_RWLOCK);
	}
	return rc;
}

HD_EXPORT int pthread_rwlock_destroy(pthread_rwlock_t *l)
{
	if (!hd_rt_enter(HD_CALLER))
		return HD_REAL(pthread_rwlock_destroy)(l);
	hd_rt_point();
	hd_rt_used_as(l, HD_OBJECT_RWLOCK, "destruction");
	if (!free_for(l, true)) {
		hd_rt_misuse((uintptr_t)l, "destruction of a read-write lock that is locked");
		return EBUSY;
	}
	hd_rt_made_as(l, HD_OBJECT_NEW);
	hd_rt_event(HD_OP_LOCK_DESTROY, (uintptr_t)l, 0, HD_LOCK_RWLOCK);
	return 0;
}

#define LOCK_CALL(name, params, args, call)                                                        \
	HD_EXPORT int name params                                                                  \
	{                                                                                          \
		return hd_rt_enter(HD_CALLER) ? call : HD_REAL(name) args;                         \
	}

LOCK_CALL(pthread_rwlock_rdlock, (pthread_rwlock_t * l), (l), lock(l, false, 0, HD_NEVER))
LOCK_CALL(pthread_rwlock_wrlock, (pthread_rwlock_t * l), (l), lock(l, true, 0, HD_NEVER))
LOCK_CALL(pthread_rwlock_tryrdlock, (pthread_rwlock_t * l), (l),
	  lock(l, false, HD_LOCK_TRY, HD_NEVER))
LOCK_CALL(pthread_rwlock_trywrlock, (pthread_rwlock_t * l), (l),
	  lock(l, true, HD_LOCK_TRY, HD_NEVER))
LOCK_CALL(pthread_rwlock_timedrdlock, (pthread_rwlock_t * l, const struct timespec *t), (l, t),
	  timed(l, false, CLOCK_REALTIME, t))
LOCK_CALL(pthread_rwlock_timedwrlock, (pthread_rwlock_t * l, const struct timespec *t), (l, t),
	  timed(l, true, CLOCK_REALTIME, t))
LOCK_CALL(pthread_rwlock_clockrdlock, (pthread_rwlock_t * l, clockid_t c, const struct timespec *t),
	  (l, c, t), timed(l, false, c, t))
LOCK_CALL(pthread_rwlock_clockwrlock, (pthread_rwlock_t * l, clockid_t c, const struct timespec *t),
	  (l, c, t), timed(l, true, c, t))
