/*
 * Locks of pthreads in checked task programs: the analysis hears of them. Who has to wait lets other
 * tasks run, one of which may have the lock.
 */
#include <errno.h>
#include <pthread.h>
#include <time.h>

#include "lane.h"
#include "runtime/real.h"

static void taken(uintptr_t caller, const void *lock, uint16_t mode)
{
	if (hd_par_enter(caller))
		hd_carrier_event(HD_OP_ACQUIRE, (uintptr_t)lock, 0, mode);
}

static void given(uintptr_t caller, const void *lock, uint16_t mode)
{
	if (hd_par_enter(caller))
		hd_carrier_event(HD_OP_RELEASE, (uintptr_t)lock, 0, mode);
}

HD_EXPORT int pthread_mutex_lock(pthread_mutex_t *m)
{
	unsigned n = 0;
	int rc;

	if (!hd_par_lane.task)
		return HD_REAL(pthread_mutex_lock)(m);
	while ((rc = HD_REAL(pthread_mutex_trylock)(m)) == EBUSY)
		hd_par_wait_a_bit(&n);
	if (!rc)
		taken(HD_CALLER, m, HD_LOCK_MUTEX);
	return rc;
}

HD_EXPORT int pthread_mutex_trylock(pthread_mutex_t *m)
{
	int rc = HD_REAL(pthread_mutex_trylock)(m);

	if (!rc && hd_par_lane.task)
		taken(HD_CALLER, m, HD_LOCK_MUTEX);
	return rc;
}

HD_EXPORT int pthread_mutex_unlock(pthread_mutex_t *m)
{
	if (hd_par_lane.task)
		given(HD_CALLER, m, HD_LOCK_MUTEX);
	return HD_REAL(pthread_mutex_unlock)(m);
}

HD_EXPORT int pthread_spin_lock(pthread_spinlock_t *s)
{
	unsigned n = 0;

	if (!hd_par_lane.task)
		return HD_REAL(pthread_spin_lock)(s);
	while (HD_REAL(pthread_spin_trylock)(s) == EBUSY)
		hd_par_wait_a_bit(&n);
	taken(HD_CALLER, (void *)s, HD_LOCK_MUTEX);
	return 0;
}

HD_EXPORT int pthread_spin_unlock(pthread_spinlock_t *s)
{
	if (hd_par_lane.task)
		given(HD_CALLER, (void *)s, HD_LOCK_MUTEX);
	return HD_REAL(pthread_spin_unlock)(s);
}

HD_EXPORT int pthread_rwlock_rdlock(pthread_rwlock_t *l)
{
	unsigned n = 0;
	int rc;

	if (!hd_par_lane.task)
		return HD_REAL(pthread_rwlock_rdlock)(l);
	while ((rc = HD_REAL(pthread_rwlock_tryrdlock)(l)) == EBUSY)
		hd_par_wait_a_bit(&n);
	if (!rc)
		taken(HD_CALLER, l, HD_LOCK_RWLOCK | HD_LOCK_SHARED);
	return rc;
}

HD_EXPORT int pthread_rwlock_wrlock(pthread_rwlock_t *l)
{
	unsigned n = 0;
	int rc;

	if (!hd_par_lane.task)
		return HD_REAL(pthread_rwlock_wrlock)(l);
	while ((rc = HD_REAL(pthread_rwlock_trywrlock)(l)) == EBUSY)
		hd_par_wait_a_bit(&n);
	if (!rc)
		taken(HD_CALLER, l, HD_LOCK_RWLOCK);
	return rc;
}

HD_EXPORT int pthread_rwlock_unlock(pthread_rwlock_t *l)
{
	if (hd_par_lane.task)
		given(HD_CALLER, l, HD_LOCK_RWLOCK);
	return HD_REAL(pthread_rwlock_unlock)(l);
}
