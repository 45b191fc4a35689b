/*
 * <threads.h>: the same objects under other names.
 */
#include <errno.h>
#include <threads.h>

#include "mutex.h"
#include "runtime/explore/equal_threads.h"
#include "runtime/memory/arena.h"
#include "runtime/real.h"
#include "runtime/thread/thread.h"

static int result_of(int rc)
{
	switch (rc) {
	case 0:
		return thrd_success;
	case ENOMEM:
		return thrd_nomem;
	case ETIMEDOUT:
		return thrd_timedout;
	case EBUSY:
		return thrd_busy;
	default:
		return thrd_error;
	}
}

struct c11_start {
	thrd_start_t fn;
	void *arg;
};

static void *c11_entry(void *p)
{
	struct c11_start s = *(struct c11_start *)p;

	hd_rt_free(p, sizeof(s));
	return (void *)(intptr_t)s.fn(s.arg);
}

HD_EXPORT int thrd_create(thrd_t *out, thrd_start_t fn, void *arg)
{
	struct c11_start *s;
	int rc;

	if (!hd_rt_enter(HD_CALLER))
		return HD_REAL(thrd_create)(out, fn, arg);
	s = hd_rt_alloc(sizeof(*s));
	*s = (struct c11_start){ .fn = fn, .arg = arg };
	rc = hd_rt_thread_create(out, NULL, c11_entry, s);
	if (rc)
		hd_rt_free(s, sizeof(*s));
	return rc == EAGAIN ? thrd_nomem : result_of(rc);
}

HD_EXPORT int thrd_join(thrd_t t, int *out)
{
	void *ret;
	int rc;

	if (!hd_rt_enter(HD_CALLER))
		return HD_REAL(thrd_join)(t, out);
	rc = hd_rt_thread_join(t, &ret, HD_NEVER);
	if (rc == 0 && out)
		*out = (int)(intptr_t)ret;
	return result_of(rc);
}

HD_EXPORT thrd_t thrd_current(void)
{
	if (hd_rt_enter(HD_CALLER))
		hd_rt_equal_told_apart(hd_rt.cur);
	return pthread_self();
}

HD_EXPORT int thrd_detach(thrd_t t)
{
	hd_rt_enter(HD_CALLER);
	return result_of(pthread_detach(t));
}

HD_EXPORT void thrd_exit(int result)
{
	if (!hd_rt_enter(HD_CALLER))
		HD_REAL(thrd_exit)(result);
	hd_rt_thread_exit((void *)(intptr_t)result);
}

/* 0, -1 if a signal ended it, another negative number for an error. */
HD_EXPORT int thrd_sleep(const struct timespec *duration, struct timespec *left)
{
	hd_rt_enter(HD_CALLER);
	switch (clock_nanosleep(CLOCK_REALTIME, 0, duration, left)) {
	case 0:
		return 0;
	case EINTR:
		return -1;
	default:
		return -2;
	}
}

HD_EXPORT void thrd_yield(void)
{
	if (hd_rt_enter(HD_CALLER))
		hd_rt_yield();
}

/* The same structs, laid out alike by glibc. */
_Static_assert(sizeof(mtx_t) == sizeof(pthread_mutex_t), "mtx_t is a pthread_mutex_t");
_Static_assert(sizeof(cnd_t) == sizeof(pthread_cond_t), "cnd_t is a pthread_cond_t");

HD_EXPORT int mtx_init(mtx_t *m, int type)
{
	pthread_mutexattr_t attr;
	int rc;

	hd_rt_enter(HD_CALLER);
	pthread_mutexattr_init(&attr);
	pthread_mutexattr_settype(&attr, type & mtx_recursive ? PTHREAD_MUTEX_RECURSIVE
							      : PTHREAD_MUTEX_NORMAL);
	rc = pthread_mutex_init((pthread_mutex_t *)m, &attr);
	pthread_mutexattr_destroy(&attr);
	return result_of(rc);
}

HD_EXPORT void mtx_destroy(mtx_t *m)
{
	hd_rt_enter(HD_CALLER);
	pthread_mutex_destroy((pthread_mutex_t *)m);
}

#define MTX_CALL(name, params, args, call)                                                         \
	HD_EXPORT int name params                                                                  \
	{                                                                                          \
		return hd_rt_enter(HD_CALLER) ? result_of(call) : HD_REAL(name) args;              \
	}

MTX_CALL(mtx_lock, (mtx_t * m), (m), hd_rt_mutex_lock((pthread_mutex_t *)m, 0, HD_NEVER))
MTX_CALL(mtx_trylock, (mtx_t * m), (m),
	 hd_rt_mutex_lock((pthread_mutex_t *)m, HD_LOCK_TRY, HD_NEVER))
MTX_CALL(mtx_timedlock, (mtx_t *restrict m, const struct timespec *restrict t), (m, t),
	 hd_rt_mutex_lock((pthread_mutex_t *)m, HD_LOCK_TIMED,
			  hd_rt_deadline_abs(CLOCK_REALTIME, t)))
MTX_CALL(mtx_unlock, (mtx_t * m), (m), hd_rt_mutex_unlock((pthread_mutex_t *)m))

HD_EXPORT int cnd_init(cnd_t *c)
{
	hd_rt_enter(HD_CALLER);
	return result_of(pthread_cond_init((pthread_cond_t *)c, NULL));
}

HD_EXPORT void cnd_destroy(cnd_t *c)
{
	hd_rt_enter(HD_CALLER);
	pthread_cond_destroy((pthread_cond_t *)c);
}

HD_EXPORT int cnd_wait(cnd_t *c, mtx_t *m)
{
	hd_rt_enter(HD_CALLER);
	return result_of(pthread_cond_wait((pthread_cond_t *)c, (pthread_mutex_t *)m));
}

HD_EXPORT int cnd_timedwait(cnd_t *restrict c, mtx_t *restrict m, const struct timespec *restrict t)
{
	hd_rt_enter(HD_CALLER);
	return result_of(pthread_cond_timedwait((pthread_cond_t *)c, (pthread_mutex_t *)m, t));
}

HD_EXPORT int cnd_signal(cnd_t *c)
{
	hd_rt_enter(HD_CALLER);
	return result_of(pthread_cond_signal((pthread_cond_t *)c));
}

HD_EXPORT int cnd_broadcast(cnd_t *c)
{
	hd_rt_enter(HD_CALLER);
	return result_of(pthread_cond_broadcast((pthread_cond_t *)c));
}

HD_EXPORT void call_once(once_flag *flag, void (*fn)(void))
{
	pthread_once((pthread_once_t *)flag, fn);
}

HD_EXPORT int tss_create(tss_t *key, tss_dtor_t destroy)
{
	return result_of(pthread_key_create(key, destroy));
}

HD_EXPORT void tss_delete(tss_t key)
{
	pthread_key_delete(key);
}

HD_EXPORT void *tss_get(tss_t key)
{
	return pthread_getspecific(key);
}

HD_EXPORT int tss_set(tss_t key, void *value)
{
	return result_of(pthread_setspecific(key, value));
}
