/*
 * Mutexes of all kinds.
 *
 * The state lives where glibc keeps it, in the program's pthread_mutex_t, so that
 * static initialisers, copies and reused memory mean what they mean natively; the
 * owner is a thread number of ours. Waiters are found by address.
 */
#include "mutex.h"

#include <errno.h>

#include "between.h"
#include "object_type.h"
#include "runtime/explore/explore.h"
#include "runtime/memory/mapped_twice.h"
#include "runtime/observe/findings.h"
#include "runtime/real.h"
#include "runtime/sched/policy.h"
#include "runtime/thread/thread.h"

#define KIND_MASK  3
#define ROBUST	   0x10
#define OWNER_DIED 0x7fffffff
#define LOST	   0x7ffffffe /* robust, unlocked without being made consistent */
#define DESTROYED  (-1)

static int kind_of(const pthread_mutex_t *m)
{
	return m->__data.__kind & KIND_MASK;
}

bool hd_rt_mutex_locked(const pthread_mutex_t *m)
{
	return m->__data.__lock != 0;
}

/* Thread numbers mean something in one process only. */
static inline int self(const pthread_mutex_t *m)
{
	return hd_rt_between(m) ? hd_rt_between_self() : (int)hd_rt.cur->id;
}

/* Nobody has it: make it ours, unless another process is quicker. */
static bool grab(pthread_mutex_t *m)
{
	return !hd_rt_between(m) || hd_rt_between_swap(&m->__data.__lock, 0, 1);
}

static inline bool mine(const pthread_mutex_t *m)
{
	return m->__data.__lock && m->__data.__owner == self(m);
}

bool hd_rt_mutex_mine(pthread_mutex_t *m)
{
	return mine(m);
}

bool hd_rt_mutex_checks_owner(const pthread_mutex_t *m)
{
	return kind_of(m) == PTHREAD_MUTEX_RECURSIVE_NP ||
	       kind_of(m) == PTHREAD_MUTEX_ERRORCHECK_NP || (m->__data.__kind & ROBUST);
}

uint32_t hd_rt_waits_for(const struct fiber *f)
{
	if (!f || f->state != HD_F_BLOCKED || f->wait.deadline != HD_NEVER)
		return 0;
	switch (f->wait.why) {
	case HD_TS_MUTEX:
		return (uint32_t)((pthread_mutex_t *)f->wait.addr)->__data.__owner;
	case HD_TS_JOIN:
		return ((struct fiber *)f->wait.addr)->id;
	case HD_TS_SPIN:
	case HD_TS_OMP_LOCK:
		return (uint32_t) * (pthread_spinlock_t *)f->wait.addr;
	case HD_TS_RWLOCK_READ:
	case HD_TS_RWLOCK_WRITE:
		return (uint32_t)((pthread_rwlock_t *)f->wait.addr)->__data.__cur_writer;
	default:
		return 0;
	}
}

void hd_rt_check_cycle(uint32_t owner, enum hd_thread_state why, uintptr_t addr)
{
	struct fiber *me = hd_rt.cur;
	uint32_t id = owner;

	for (uint32_t steps = 0; id && steps <= hd_rt.nthreads; steps++) {
		if (id == me->id) {
			me->state = HD_F_BLOCKED; /* as it would be from now on */
			me->wait.why = why;
			me->wait.addr = hd_rt_name_of(addr);
			hd_rt_lock_cycle();
		}
		id = hd_rt_waits_for(hd_rt_fiber_by_id(id));
	}
}

static inline void take(pthread_mutex_t *m, uint16_t how)
{
	m->__data.__lock = 1;
	m->__data.__owner = self(m);
	m->__data.__count = 1;
	hd_rt_lock_moved();
	hd_rt_disable(HD_TS_MUTEX, (uintptr_t)m);
	hd_rt_held_add((uintptr_t)m, HD_LOCK_MUTEX);
	hd_rt_lock_event(HD_OP_ACQUIRE, (uintptr_t)m, HD_LOCK_MUTEX | how);
}

static inline void give_back(pthread_mutex_t *m)
{
	hd_rt_lock_event(HD_OP_RELEASE, (uintptr_t)m, HD_LOCK_MUTEX);
	hd_rt_held_remove((uintptr_t)m);
	m->__data.__count = 0;
	if (m->__data.__owner != OWNER_DIED && m->__data.__owner != LOST)
		m->__data.__owner = 0;
	__atomic_store_n(&m->__data.__lock, 0, __ATOMIC_RELEASE); /* partner: grab() */
	hd_rt_lock_moved();
	hd_rt_enable(HD_TS_MUTEX, (uintptr_t)m);
}

/* A free mutex: take it, unless its last owner died. */
static inline int take_free(pthread_mutex_t *m, uint16_t how)
{
	int owner = m->__data.__owner;

	if (owner == LOST)
		return ENOTRECOVERABLE;
	take(m, how);
	if (owner == OWNER_DIED) {
		m->__data.__spins = 1; /* to be made consistent; see pthread_mutex_consistent */
		return EOWNERDEAD;
	}
	return 0;
}

/* The owner asks again; -1: it must wait for itself. */
static int take_again(pthread_mutex_t *m, uint16_t how)
{
	if (kind_of(m) == PTHREAD_MUTEX_RECURSIVE_NP || unlikely(hd_rt.cur->locks.kept == m)) {
		if (m->__data.__count == UINT32_MAX)
			return EAGAIN;
		m->__data.__count++;
		hd_rt_event(HD_OP_ACQUIRE, (uintptr_t)m, 0, HD_LOCK_MUTEX | HD_LOCK_AGAIN | how);
		return 0;
	}
	if (how & HD_LOCK_TRY)
		return EBUSY;
	return kind_of(m) == PTHREAD_MUTEX_ERRORCHECK_NP ? EDEADLK : -1;
}

static bool usable(pthread_mutex_t *m, const char *call)
{
	hd_rt_used_as(m, HD_OBJECT_MUTEX, call);
	if (m->__data.__kind != DESTROYED)
		return true;
	hd_rt_misuse((uintptr_t)m, "%s of a destroyed mutex", call);
	return false;
}

/* It is not free, or was not a moment ago. */
static __attribute__((noinline)) int wait_and_take(pthread_mutex_t *m, uint16_t how,
						   uint64_t deadline)
{
	while (hd_rt_mutex_locked(m) || !grab(m)) {
		if (hd_rt_mutex_mine(m)) {
			int rc = take_again(m, how);

			if (rc >= 0)
				return rc;
		}
		if (how & HD_LOCK_TRY) {
			hd_rt_event(HD_OP_ACQUIRE_FAIL, (uintptr_t)m, EBUSY, HD_LOCK_MUTEX | how);
			hd_rt_spin_tried_once();
			return EBUSY;
		}
		if (hd_rt_between(m) && deadline > hd_rt.now) {
			hd_rt_between_pause(m);
			continue;
		}
		if (deadline == HD_NEVER)
			hd_rt_check_cycle((uint32_t)m->__data.__owner, HD_TS_MUTEX, (uintptr_t)m);
		if (hd_rt_too_late(deadline) ||
		    hd_rt_block(HD_TS_MUTEX, (uintptr_t)m, deadline) == HD_TIMEOUT) {
			hd_rt_event(HD_OP_ACQUIRE_FAIL, (uintptr_t)m, ETIMEDOUT,
				    HD_LOCK_MUTEX | how);
			hd_rt_spin_tried_once();
			return ETIMEDOUT;
		}
	}
	return take_free(m, how);
}

static inline __attribute__((always_inline)) int lock(pthread_mutex_t *m, uint16_t how,
						      uint64_t deadline)
{
	if (unlikely(hd_rt.opt.any_time))
		hd_rt_spin(); /* a loop that looks at what the mutex guards */
	if (unlikely(hd_rt.exploring) && (how & HD_LOCK_TRY) && !hd_rt_between(m))
		hd_rt_explore_point_to_try((uintptr_t)m, &m->__data.__lock);
	else
		hd_rt_point_before_timed(how & HD_LOCK_TRY ? HD_TS_RUNNING : HD_TS_MUTEX,
					 (uintptr_t)m, deadline);
	if (unlikely(!usable(m, "lock")))
		return EINVAL;
	if (unlikely(hd_rt_mutex_locked(m) || !grab(m)))
		return wait_and_take(m, how, deadline);
	return take_free(m, how);
}

int hd_rt_mutex_lock(pthread_mutex_t *m, uint16_t how, uint64_t deadline)
{
	return lock(m, how, deadline);
}

/*
 * An allocator's code is known by its calls, but not where it ends with one (the caller is then
 * whoever called the allocator). What it locked has the kernel's number for the thread.
 */
static bool is_allocators(const pthread_mutex_t *m)
{
	return unlikely(hd_rt.allocator_size) && hd_rt_mutex_locked(m) &&
	       m->__data.__owner == hd_rt.cur->tid;
}

/* Others may try again and again to take a lock as long as *@word is not 0. */
static inline void point_before_unlock(const volatile int *word)
{
	if (unlikely(hd_rt.exploring))
		hd_rt_explore_point_at((uintptr_t)word, sizeof(*word), false, true);
	else
		hd_rt_point();
}

int hd_rt_mutex_unlock(pthread_mutex_t *m)
{
	if (is_allocators(m))
		return HD_REAL(pthread_mutex_unlock)(m);
	point_before_unlock(&m->__data.__lock);
	if (!usable(m, "unlock"))
		return EINVAL;
	if (unlikely(!mine(m))) {
		if (hd_rt_mutex_checks_owner(m))
			return EPERM;
		if (!hd_rt_mutex_locked(m)) {
			hd_rt_misuse((uintptr_t)m, "unlock of a mutex that is not locked");
			return 0;
		}
		hd_rt_misuse((uintptr_t)m, "unlock of a mutex that T%d locked", m->__data.__owner);
		hd_rt_disown(m->__data.__owner, (uintptr_t)m);
	} else if (--m->__data.__count) {
		hd_rt_event(HD_OP_RELEASE, (uintptr_t)m, 0, HD_LOCK_MUTEX | HD_LOCK_AGAIN);
		return 0;
	}
	if (m->__data.__spins) { /* EOWNERDEAD was not answered by pthread_mutex_consistent */
		m->__data.__spins = 0;
		m->__data.__owner = LOST;
	}
	give_back(m);
	return 0;
}

void hd_rt_mutex_drop(pthread_mutex_t *m)
{
	if (--m->__data.__count)
		hd_rt_event(HD_OP_RELEASE, (uintptr_t)m, 0, HD_LOCK_MUTEX | HD_LOCK_AGAIN);
	else
		give_back(m);
}

int hd_rt_mutex_retake(pthread_mutex_t *m)
{
	if (hd_rt_mutex_mine(m))
		return take_again(m, 0);
	while (hd_rt_mutex_locked(m) || !grab(m)) {
		if (hd_rt_between(m)) {
			hd_rt_between_pause(m);
			continue;
		}
		hd_rt_check_cycle((uint32_t)m->__data.__owner, HD_TS_MUTEX, (uintptr_t)m);
		hd_rt_block(HD_TS_MUTEX, (uintptr_t)m, HD_NEVER);
	}
	return take_free(m, 0);
}

void hd_rt_mutex_keep(pthread_mutex_t *m)
{
	hd_rt.cur->locks.kept = hd_rt_mutex_mine(m) ? m : NULL;
	hd_rt_mutex_retake(m);
}

/* The thread that owned a lock did not give it back itself. */
void hd_rt_disown(int owner, uintptr_t addr)
{
	struct fiber *f = hd_rt_fiber_by_id((uint32_t)owner), *me = hd_rt.cur;

	if (!f)
		return;
	hd_rt.cur = f;
	hd_rt_held_remove(addr);
	hd_rt.cur = me;
}

void hd_rt_robust_release(struct fiber *f)
{
	/* Giving one back may move others, to places that come later here. */
	for (uint32_t i = f->locks.used; i-- > 0;) {
		const struct hd_held *h = &f->locks.held[i];
		pthread_mutex_t *m = (pthread_mutex_t *)h->addr;

		if (i >= f->locks.used || !m || (h->mode & HD_LOCK_KIND_MASK) != HD_LOCK_MUTEX ||
		    !(m->__data.__kind & ROBUST))
			continue;
		m->__data.__owner = OWNER_DIED;
		m->__data.__spins = 0;
		give_back(m);
	}
}

/* ---- the interface ------------------------------------------------------- */

HD_EXPORT int pthread_mutex_init(pthread_mutex_t *m, const pthread_mutexattr_t *attr)
{
	int rc;

	if (hd_rt_enter(HD_CALLER)) {
		if (hd_rt_has_waiters((uintptr_t)m))
			hd_rt_misuse((uintptr_t)m,
				     "initialisation of a mutex that threads wait for");
		rc = HD_REAL(pthread_mutex_init)(m, attr);
		hd_rt_made_as(m, HD_OBJECT_MUTEX);
		hd_rt_event(HD_OP_LOCK_INIT, (uintptr_t)m, (uint64_t)kind_of(m), HD_LOCK_MUTEX);
		return rc;
	}
	return HD_REAL(pthread_mutex_init)(m, attr);
}

HD_EXPORT int pthread_mutex_destroy(pthread_mutex_t *m)
{
	if (!hd_rt_enter(HD_CALLER))
		return HD_REAL(pthread_mutex_destroy)(m);
	hd_rt_point();
	if (!usable(m, "destruction"))
		return EINVAL;
	if (hd_rt_mutex_locked(m)) {
		hd_rt_misuse((uintptr_t)m, "destruction of a mutex that T%d has locked",
			     m->__data.__owner);
		return EBUSY;
	}
	m->__data.__kind = DESTROYED;
	hd_rt_made_as(m, HD_OBJECT_NEW);
	hd_rt_event(HD_OP_LOCK_DESTROY, (uintptr_t)m, 0, HD_LOCK_MUTEX);
	return 0;
}

HD_EXPORT int pthread_mutex_lock(pthread_mutex_t *m)
{
	return hd_rt_enter(HD_CALLER) ? lock(m, 0, HD_NEVER) : HD_REAL(pthread_mutex_lock)(m);
}

HD_EXPORT int pthread_mutex_trylock(pthread_mutex_t *m)
{
	return hd_rt_enter(HD_CALLER) ? hd_rt_mutex_lock(m, HD_LOCK_TRY, HD_NEVER)
				      : HD_REAL(pthread_mutex_trylock)(m);
}

/* A deadline is looked at only when the lock is taken, as POSIX says. */
static int timed_lock(pthread_mutex_t *m, clockid_t clock, const struct timespec *abstime)
{
	if (abstime->tv_nsec < 0 || abstime->tv_nsec >= 1000000000)
		return hd_rt_mutex_locked(m) && !hd_rt_mutex_mine(m)
			       ? EINVAL
			       : hd_rt_mutex_lock(m, HD_LOCK_TIMED, HD_NEVER);
	return hd_rt_mutex_lock(m, HD_LOCK_TIMED, hd_rt_deadline_abs(clock, abstime));
}

HD_EXPORT int pthread_mutex_timedlock(pthread_mutex_t *m, const struct timespec *abstime)
{
	return hd_rt_enter(HD_CALLER) ? timed_lock(m, CLOCK_REALTIME, abstime)
				      : HD_REAL(pthread_mutex_timedlock)(m, abstime);
}

HD_EXPORT int pthread_mutex_clocklock(pthread_mutex_t *m, clockid_t clock,
				      const struct timespec *abstime)
{
	return hd_rt_enter(HD_CALLER) ? timed_lock(m, clock, abstime)
				      : HD_REAL(pthread_mutex_clocklock)(m, clock, abstime);
}

HD_EXPORT int pthread_mutex_unlock(pthread_mutex_t *m)
{
	return hd_rt_enter(HD_CALLER) ? hd_rt_mutex_unlock(m) : HD_REAL(pthread_mutex_unlock)(m);
}

HD_EXPORT int pthread_mutex_consistent(pthread_mutex_t *m)
{
	if (!hd_rt_enter(HD_CALLER))
		return HD_REAL(pthread_mutex_consistent)(m);
	if (!(m->__data.__kind & ROBUST) || !m->__data.__spins)
		return EINVAL;
	m->__data.__spins = 0;
	return 0;
}

/* ---- spin locks ---------------------------------------------------------- */

/* The word is 0 when free, else the owner's number; glibc's own static value is 0 too. */

static void spin_take(pthread_spinlock_t *s, uint16_t how)
{
	*s = (int)hd_rt.cur->id;
	hd_rt_lock_moved();
	hd_rt_disable(HD_TS_SPIN, (uintptr_t)s);
	hd_rt_held_add((uintptr_t)s, HD_LOCK_SPIN);
	hd_rt_lock_event(HD_OP_ACQUIRE, (uintptr_t)s, HD_LOCK_SPIN | how);
}

HD_EXPORT int pthread_spin_init(pthread_spinlock_t *s, int pshared)
{
	*s = 0;
	if (hd_rt_enter(HD_CALLER))
		hd_rt_event(HD_OP_LOCK_INIT, (uintptr_t)s, 0, HD_LOCK_SPIN);
	return 0;
}

HD_EXPORT int pthread_spin_destroy(pthread_spinlock_t *s)
{
	if (hd_rt_enter(HD_CALLER)) {
		hd_rt_point();
		if (*s)
			hd_rt_misuse((uintptr_t)s, "destruction of a spin lock that T%d has locked",
				     *s);
		hd_rt_event(HD_OP_LOCK_DESTROY, (uintptr_t)s, 0, HD_LOCK_SPIN);
	}
	return 0;
}

HD_EXPORT int pthread_spin_lock(pthread_spinlock_t *s)
{
	if (!hd_rt_enter(HD_CALLER))
		return HD_REAL(pthread_spin_lock)(s);
	hd_rt_point_before(HD_TS_SPIN, (uintptr_t)s);
	while (*s) {
		hd_rt_check_cycle((uint32_t)*s, HD_TS_SPIN, (uintptr_t)s);
		hd_rt_block(HD_TS_SPIN, (uintptr_t)s, HD_NEVER);
	}
	spin_take(s, 0);
	return 0;
}

HD_EXPORT int pthread_spin_trylock(pthread_spinlock_t *s)
{
	if (!hd_rt_enter(HD_CALLER))
		return HD_REAL(pthread_spin_trylock)(s);
	if (unlikely(hd_rt.exploring) && !hd_rt_between((const void *)s))
		hd_rt_explore_point_to_try((uintptr_t)s, (const int *)s);
	else
		hd_rt_point();
	if (*s) {
		hd_rt_event(HD_OP_ACQUIRE_FAIL, (uintptr_t)s, EBUSY, HD_LOCK_SPIN | HD_LOCK_TRY);
		hd_rt_spin_tried();
		return EBUSY;
	}
	spin_take(s, HD_LOCK_TRY);
	return 0;
}

HD_EXPORT int pthread_spin_unlock(pthread_spinlock_t *s)
{
	const struct hd_held *held;

	if (!hd_rt_enter(HD_CALLER))
		return HD_REAL(pthread_spin_unlock)(s);
	point_before_unlock(s);
	held = hd_rt_held_find(hd_rt.cur, (uintptr_t)s);
	if (held && (held->mode & HD_LOCK_KIND_MASK) != HD_LOCK_SPIN) {
		hd_rt_misuse((uintptr_t)s, "unlock as a spin lock of what is %s",
			     (held->mode & HD_LOCK_KIND_MASK) == HD_LOCK_MUTEX
				     ? "a mutex"
				     : "a read-write lock");
	} else if ((uint32_t)*s != hd_rt.cur->id) {
		hd_rt_misuse((uintptr_t)s,
			     *s ? "unlock of a spin lock that T%d locked"
				: "unlock of a spin lock that is not locked",
			     *s);
		if (*s)
			hd_rt_disown(*s, (uintptr_t)s);
	}
	hd_rt_lock_event(HD_OP_RELEASE, (uintptr_t)s, HD_LOCK_SPIN);
	hd_rt_held_remove((uintptr_t)s);
	*s = 0;
	hd_rt_lock_moved();
	hd_rt_enable(HD_TS_SPIN, (uintptr_t)s);
	return 0;
}
