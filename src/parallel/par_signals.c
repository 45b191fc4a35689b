/*
 * Semaphores and condition variables in checked task programs: what they order, they order for the
 * analysis. A task that waits lets others run on its worker, so who waits for a condition is in a list of ours.
 */
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <time.h>

#include "futex_lock.h"
#include "lane.h"
#include "runtime/real.h"

static void tell(uintptr_t caller, enum hd_op op, const void *object)
{
	if (hd_par_enter(caller))
		hd_carrier_event(op, (uintptr_t)object, 0, 0);
}

static bool is_past(clockid_t clock, const struct timespec *t)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return now.tv_sec > t->tv_sec || (now.tv_sec == t->tv_sec && now.tv_nsec >= t->tv_nsec);
}

/* ---- semaphores ----------------------------------------------------------- */

HD_EXPORT int sem_post(sem_t *s)
{
	if (hd_par_lane.task)
		tell(HD_CALLER, HD_OP_SEM_POST, s);
	return HD_REAL(sem_post)(s);
}

HD_EXPORT int sem_trywait(sem_t *s)
{
	int rc = HD_REAL(sem_trywait)(s);

	if (!rc && hd_par_lane.task)
		tell(HD_CALLER, HD_OP_SEM_WAIT, s);
	return rc;
}

/* NULL: without end. */
static int down(uintptr_t caller, sem_t *s, clockid_t clock, const struct timespec *until)
{
	unsigned n = 0;

	while (HD_REAL(sem_trywait)(s)) {
		if (errno != EAGAIN && errno != EINTR)
			return -1;
		if (until && is_past(clock, until)) {
			errno = ETIMEDOUT;
			return -1;
		}
		hd_par_wait_a_bit(&n);
	}
	tell(caller, HD_OP_SEM_WAIT, s);
	return 0;
}

HD_EXPORT int sem_wait(sem_t *s)
{
	return hd_par_lane.task ? down(HD_CALLER, s, 0, NULL) : HD_REAL(sem_wait)(s);
}

HD_EXPORT int sem_timedwait(sem_t *s, const struct timespec *t)
{
	return hd_par_lane.task ? down(HD_CALLER, s, CLOCK_REALTIME, t)
				: HD_REAL(sem_timedwait)(s, t);
}

HD_EXPORT int sem_clockwait(sem_t *s, clockid_t clock, const struct timespec *t)
{
	return hd_par_lane.task ? down(HD_CALLER, s, clock, t)
				: HD_REAL(sem_clockwait)(s, clock, t);
}

/* ---- condition variables ---------------------------------------------------- */

/* A task that waits, on its stack. */
struct waiter {
	struct waiter *next;
	const pthread_cond_t *cond;
	bool woken;
};

static struct hd_futex_lock lock;
static struct waiter *waiters, **last = &waiters;

static void join_waiters(struct waiter *w)
{
	hd_futex_lock(&lock, 100);
	*last = w;
	last = &w->next;
	hd_futex_unlock(&lock);
}

/* Those who came first; false: there is none. Woken ones are gone from the list. */
static bool wake(const pthread_cond_t *c, bool all)
{
	bool some = false;

	hd_futex_lock(&lock, 100);
	for (struct waiter **p = &waiters; *p && (all || !some);) {
		struct waiter *w = *p;

		if (w->cond != c) {
			p = &w->next;
			continue;
		}
		*p = w->next;
		if (last == &w->next)
			last = p;
		__atomic_store_n(&w->woken, true, __ATOMIC_RELEASE);
		some = true;
	}
	hd_futex_unlock(&lock);
	return some;
}

/* Its time is up; false: it was woken just before. */
static bool leave_waiters(struct waiter *w)
{
	bool gone;

	hd_futex_lock(&lock, 100);
	gone = !w->woken;
	for (struct waiter **p = &waiters; gone && *p; p = &(*p)->next) {
		if (*p != w)
			continue;
		*p = w->next;
		if (last == &w->next)
			last = p;
		break;
	}
	hd_futex_unlock(&lock);
	return gone;
}

static int wait_for(uintptr_t caller, pthread_cond_t *c, pthread_mutex_t *m, clockid_t clock,
		    const struct timespec *until)
{
	struct waiter w = { .cond = c };
	unsigned n = 0;
	int rc = 0;

	join_waiters(&w);
	tell(caller, HD_OP_WAIT, c);
	pthread_mutex_unlock(m);
	while (!rc && !__atomic_load_n(&w.woken, __ATOMIC_ACQUIRE)) {
		if (until && is_past(clock, until) && leave_waiters(&w))
			rc = ETIMEDOUT;
		else
			hd_par_wait_a_bit(&n);
	}
	if (!rc)
		tell(caller, HD_OP_WAKE, c);
	pthread_mutex_lock(m);
	hd_par_enter(caller);
	return rc;
}

HD_EXPORT int pthread_cond_wait(pthread_cond_t *c, pthread_mutex_t *m)
{
	return hd_par_lane.task ? wait_for(HD_CALLER, c, m, 0, NULL)
				: HD_REAL(pthread_cond_wait)(c, m);
}

HD_EXPORT int pthread_cond_timedwait(pthread_cond_t *c, pthread_mutex_t *m,
				     const struct timespec *t)
{
	return hd_par_lane.task ? wait_for(HD_CALLER, c, m, CLOCK_REALTIME, t)
				: HD_REAL(pthread_cond_timedwait)(c, m, t);
}

HD_EXPORT int pthread_cond_clockwait(pthread_cond_t *c, pthread_mutex_t *m, clockid_t clock,
				     const struct timespec *t)
{
	return hd_par_lane.task ? wait_for(HD_CALLER, c, m, clock, t)
				: HD_REAL(pthread_cond_clockwait)(c, m, clock, t);
}

HD_EXPORT int pthread_cond_signal(pthread_cond_t *c)
{
	if (hd_par_lane.task)
		tell(HD_CALLER, HD_OP_NOTIFY, c);
	return wake(c, false) ? 0 : HD_REAL(pthread_cond_signal)(c);
}

HD_EXPORT int pthread_cond_broadcast(pthread_cond_t *c)
{
	if (hd_par_lane.task)
		tell(HD_CALLER, HD_OP_NOTIFY_ALL, c);
	wake(c, true);
	return HD_REAL(pthread_cond_broadcast)(c);
}
