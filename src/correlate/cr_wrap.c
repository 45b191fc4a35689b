/*
 * The library that is preloaded into the program: wrappers around the thread library that
 * tell the tool what happens. They run as part of the program, under the tool.
 *
 * Since glibc 2.34 the thread functions are in libc.so.6; before, in libpthread.so.0. Both
 * names are wrapped by one body. Many names have versions, which the `*` at their end (Za) covers.
 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <sys/types.h>
#include <time.h>

#include "cr_requests.h"

#define TELL(request, a, b, c)                                                                     \
	VALGRIND_DO_CLIENT_REQUEST_STMT(request, (unsigned long)(a), (unsigned long)(b),          \
					(unsigned long)(c), 0, 0)

#define STRING(x) STRING_(x)
#define STRING_(x) #x
#define IN_LIBPTHREAD(f) I_WRAP_SONAME_FNNAME_ZZ(libpthreadZdsoZd0, f)
#define IN_LIBC(f) I_WRAP_SONAME_FNNAME_ZZ(libcZdsoZa, f)

#define WRAP(type, f, args)                                                                        \
	type IN_LIBPTHREAD(f) args;                                                                \
	type IN_LIBC(f) args __attribute__((alias(STRING(IN_LIBPTHREAD(f)))));                     \
	type IN_LIBPTHREAD(f) args

/* ---- locks ----------------------------------------------------------------------- */

static int took(int result)
{
	return result == 0 || result == EOWNERDEAD;
}

#define LOCK_1(f, type, shared, kind)                                                              \
	WRAP(int, f, (type *lock))                                                                 \
	{                                                                                          \
		OrigFn fn;                                                                         \
		int r;                                                                             \
		VALGRIND_GET_ORIG_FN(fn);                                                          \
		CALL_FN_W_W(r, fn, lock);                                                          \
		if (took(r))                                                                       \
			TELL(CR_REQ_LOCKED, lock, shared, kind);                                   \
		return r;                                                                          \
	}

#define LOCK_2(f, type, shared, kind)                                                              \
	WRAP(int, f, (type *lock, const struct timespec *until))                                   \
	{                                                                                          \
		OrigFn fn;                                                                         \
		int r;                                                                             \
		VALGRIND_GET_ORIG_FN(fn);                                                          \
		CALL_FN_W_WW(r, fn, lock, until);                                                  \
		if (took(r))                                                                       \
			TELL(CR_REQ_LOCKED, lock, shared, kind);                                   \
		return r;                                                                          \
	}

#define LOCK_3(f, type, shared, kind)                                                              \
	WRAP(int, f, (type *lock, clockid_t id, const struct timespec *until))                     \
	{                                                                                          \
		OrigFn fn;                                                                         \
		int r;                                                                             \
		VALGRIND_GET_ORIG_FN(fn);                                                          \
		CALL_FN_W_WWW(r, fn, lock, id, until);                                             \
		if (took(r))                                                                       \
			TELL(CR_REQ_LOCKED, lock, shared, kind);                                   \
		return r;                                                                          \
	}

#define UNLOCK(f, type)                                                                            \
	WRAP(int, f, (type *lock))                                                                 \
	{                                                                                          \
		OrigFn fn;                                                                         \
		int r;                                                                             \
		VALGRIND_GET_ORIG_FN(fn);                                                          \
		TELL(CR_REQ_UNLOCK, lock, 0, 0);                                                   \
		CALL_FN_W_W(r, fn, lock);                                                          \
		return r;                                                                          \
	}

#define DESTROY(f, type)                                                                           \
	WRAP(int, f, (type *lock))                                                                 \
	{                                                                                          \
		OrigFn fn;                                                                         \
		int r;                                                                             \
		VALGRIND_GET_ORIG_FN(fn);                                                          \
		CALL_FN_W_W(r, fn, lock);                                                          \
		if (r == 0)                                                                        \
			TELL(CR_REQ_LOCK_DESTROY, lock, 0, 0);                                     \
		return r;                                                                          \
	}

LOCK_1(pthreadZumutexZulockZa, pthread_mutex_t, 0, CR_MUTEX)
LOCK_1(pthreadZumutexZutrylockZa, pthread_mutex_t, 0, CR_MUTEX)
LOCK_2(pthreadZumutexZutimedlockZa, pthread_mutex_t, 0, CR_MUTEX)
LOCK_3(pthreadZumutexZuclocklockZa, pthread_mutex_t, 0, CR_MUTEX)
UNLOCK(pthreadZumutexZuunlockZa, pthread_mutex_t)
DESTROY(pthreadZumutexZudestroyZa, pthread_mutex_t)

LOCK_1(pthreadZurwlockZurdlockZa, pthread_rwlock_t, 1, CR_RWLOCK)
LOCK_1(pthreadZurwlockZutryrdlockZa, pthread_rwlock_t, 1, CR_RWLOCK)
LOCK_2(pthreadZurwlockZutimedrdlockZa, pthread_rwlock_t, 1, CR_RWLOCK)
LOCK_3(pthreadZurwlockZuclockrdlockZa, pthread_rwlock_t, 1, CR_RWLOCK)
LOCK_1(pthreadZurwlockZuwrlockZa, pthread_rwlock_t, 0, CR_RWLOCK)
LOCK_1(pthreadZurwlockZutrywrlockZa, pthread_rwlock_t, 0, CR_RWLOCK)
LOCK_2(pthreadZurwlockZutimedwrlockZa, pthread_rwlock_t, 0, CR_RWLOCK)
LOCK_3(pthreadZurwlockZuclockwrlockZa, pthread_rwlock_t, 0, CR_RWLOCK)
UNLOCK(pthreadZurwlockZuunlockZa, pthread_rwlock_t)
DESTROY(pthreadZurwlockZudestroyZa, pthread_rwlock_t)

LOCK_1(pthreadZuspinZulockZa, pthread_spinlock_t, 0, CR_SPIN)
LOCK_1(pthreadZuspinZutrylockZa, pthread_spinlock_t, 0, CR_SPIN)
UNLOCK(pthreadZuspinZuunlockZa, pthread_spinlock_t)

/* ---- threads --------------------------------------------------------------------- */

struct start {
	void *(*function)(void *);
	void *argument;
	volatile int begun;
};

static void *begin(void *arg)
{
	struct start *s = arg;
	void *(*function)(void *) = s->function;
	void *argument = s->argument;

	TELL(CR_REQ_BEGIN, pthread_self(), 0, 0);
	s->begun = 1; /* from here on *s may be gone */
	return function(argument);
}

/* The new thread is waited for, so that its pthread_t is known before anybody can join it. */
WRAP(int, pthreadZucreateZa, (pthread_t *thread, const pthread_attr_t *attr,
				void *(*function)(void *), void *argument))
{
	struct start s = { function, argument, 0 };
	OrigFn fn;
	int r;

	VALGRIND_GET_ORIG_FN(fn);
	CALL_FN_W_WWWW(r, fn, thread, attr, begin, &s);
	if (r != 0)
		return r;
	while (!s.begun)
		sched_yield();
	TELL(CR_REQ_CREATED, *thread, 0, 0);
	return r;
}

WRAP(int, pthreadZujoinZa, (pthread_t thread, void **result))
{
	OrigFn fn;
	int r;

	VALGRIND_GET_ORIG_FN(fn);
	CALL_FN_W_WW(r, fn, thread, result);
	if (r == 0)
		TELL(CR_REQ_JOINED, thread, 0, 0);
	return r;
}

WRAP(int, pthreadZutryjoinZunpZa, (pthread_t thread, void **result))
{
	OrigFn fn;
	int r;

	VALGRIND_GET_ORIG_FN(fn);
	CALL_FN_W_WW(r, fn, thread, result);
	if (r == 0)
		TELL(CR_REQ_JOINED, thread, 0, 0);
	return r;
}

WRAP(int, pthreadZutimedjoinZunpZa,
     (pthread_t thread, void **result, const struct timespec *until))
{
	OrigFn fn;
	int r;

	VALGRIND_GET_ORIG_FN(fn);
	CALL_FN_W_WWW(r, fn, thread, result, until);
	if (r == 0)
		TELL(CR_REQ_JOINED, thread, 0, 0);
	return r;
}

WRAP(int, thrdZujoinZa, (pthread_t thread, int *result))
{
	OrigFn fn;
	int r;

	VALGRIND_GET_ORIG_FN(fn);
	CALL_FN_W_WW(r, fn, thread, result);
	if (r == 0)
		TELL(CR_REQ_JOINED, thread, 0, 0);
	return r;
}

/* Others go on as soon as the function has returned, so that is where it is told. */
static __thread struct {
	pthread_once_t *once;
	void (*function)(void);
} initialising;

static void call_once_function(void)
{
	pthread_once_t *once = initialising.once; /* the function may call pthread_once again */

	initialising.function();
	TELL(CR_REQ_RELEASE, once, 0, 0);
}

WRAP(int, pthreadZuonceZa, (pthread_once_t *once, void (*function)(void)))
{
	OrigFn fn;
	int r;

	VALGRIND_GET_ORIG_FN(fn);
	initialising.once = once;
	initialising.function = function;
	CALL_FN_W_WW(r, fn, once, call_once_function);
	TELL(CR_REQ_ACQUIRE, once, 0, 0);
	return r;
}

/* ---- waiting and waking ------------------------------------------------------------ */

WRAP(int, pthreadZucondZuwaitZa, (pthread_cond_t *cond, pthread_mutex_t *lock))
{
	OrigFn fn;
	int r;

	VALGRIND_GET_ORIG_FN(fn);
	TELL(CR_REQ_COND_PRE, cond, lock, 0);
	CALL_FN_W_WW(r, fn, cond, lock);
	TELL(CR_REQ_COND_POST, cond, lock, r == 0);
	return r;
}

WRAP(int, pthreadZucondZutimedwaitZa,
     (pthread_cond_t *cond, pthread_mutex_t *lock, const struct timespec *until))
{
	OrigFn fn;
	int r;

	VALGRIND_GET_ORIG_FN(fn);
	TELL(CR_REQ_COND_PRE, cond, lock, 0);
	CALL_FN_W_WWW(r, fn, cond, lock, until);
	TELL(CR_REQ_COND_POST, cond, lock, r == 0);
	return r;
}

WRAP(int, pthreadZucondZuclockwaitZa,
     (pthread_cond_t *cond, pthread_mutex_t *lock, clockid_t id, const struct timespec *until))
{
	OrigFn fn;
	int r;

	VALGRIND_GET_ORIG_FN(fn);
	TELL(CR_REQ_COND_PRE, cond, lock, 0);
	CALL_FN_W_WWWW(r, fn, cond, lock, id, until);
	TELL(CR_REQ_COND_POST, cond, lock, r == 0);
	return r;
}

#define BEFORE(f, type, request)                                                                   \
	WRAP(int, f, (type *object))                                                               \
	{                                                                                          \
		OrigFn fn;                                                                         \
		int r;                                                                             \
		VALGRIND_GET_ORIG_FN(fn);                                                          \
		TELL(request, object, 0, 0);                                                       \
		CALL_FN_W_W(r, fn, object);                                                        \
		return r;                                                                          \
	}

#define AFTER_1(f, type, request)                                                                  \
	WRAP(int, f, (type *object))                                                               \
	{                                                                                          \
		OrigFn fn;                                                                         \
		int r;                                                                             \
		VALGRIND_GET_ORIG_FN(fn);                                                          \
		CALL_FN_W_W(r, fn, object);                                                        \
		if (r == 0)                                                                        \
			TELL(request, object, 0, 0);                                               \
		return r;                                                                          \
	}

BEFORE(pthreadZucondZusignalZa, pthread_cond_t, CR_REQ_RELEASE)
BEFORE(pthreadZucondZubroadcastZa, pthread_cond_t, CR_REQ_RELEASE)
BEFORE(semZupostZa, sem_t, CR_REQ_RELEASE)
AFTER_1(semZuwaitZa, sem_t, CR_REQ_ACQUIRE)
AFTER_1(semZutrywaitZa, sem_t, CR_REQ_ACQUIRE)

WRAP(int, semZutimedwaitZa, (sem_t *sem, const struct timespec *until))
{
	OrigFn fn;
	int r;

	VALGRIND_GET_ORIG_FN(fn);
	CALL_FN_W_WW(r, fn, sem, until);
	if (r == 0)
		TELL(CR_REQ_ACQUIRE, sem, 0, 0);
	return r;
}

WRAP(int, semZuclockwaitZa, (sem_t *sem, clockid_t id, const struct timespec *until))
{
	OrigFn fn;
	int r;

	VALGRIND_GET_ORIG_FN(fn);
	CALL_FN_W_WWW(r, fn, sem, id, until);
	if (r == 0)
		TELL(CR_REQ_ACQUIRE, sem, 0, 0);
	return r;
}

WRAP(int, pthreadZubarrierZuinitZa,
     (pthread_barrier_t *barrier, const pthread_barrierattr_t *attr, unsigned count))
{
	OrigFn fn;
	int r;

	VALGRIND_GET_ORIG_FN(fn);
	CALL_FN_W_WWW(r, fn, barrier, attr, count);
	if (r == 0)
		TELL(CR_REQ_BARRIER_INIT, barrier, count, 0);
	return r;
}

WRAP(int, pthreadZubarrierZuwaitZa, (pthread_barrier_t *barrier))
{
	OrigFn fn;
	int r;

	VALGRIND_GET_ORIG_FN(fn);
	TELL(CR_REQ_BARRIER_ENTER, barrier, 0, 0);
	CALL_FN_W_W(r, fn, barrier);
	TELL(CR_REQ_BARRIER_LEAVE, barrier, 0, 0);
	return r;
}

/* ---- sleeping -------------------------------------------------------------------- */

#define REST(f, args, ...)                                                                         \
	WRAP(int, f, args)                                                                         \
	{                                                                                          \
		OrigFn fn;                                                                         \
		int r;                                                                             \
                                                                                                   \
		VALGRIND_GET_ORIG_FN(fn);                                                          \
		TELL(CR_REQ_REST, 0, 0, 0);                                                        \
		__VA_ARGS__;                                                                       \
		return r;                                                                          \
	}

REST(schedZuyield, (void), CALL_FN_W_v(r, fn))
REST(usleep, (useconds_t us), CALL_FN_W_W(r, fn, us))
REST(sleep, (unsigned seconds), CALL_FN_W_W(r, fn, seconds))
REST(nanosleep, (const struct timespec *ts, struct timespec *left), CALL_FN_W_WW(r, fn, ts, left))
REST(clockZunanosleepZa, (clockid_t clock, int flags, const struct timespec *ts, struct timespec *left),
     CALL_FN_W_WWWW(r, fn, clock, flags, ts, left))
