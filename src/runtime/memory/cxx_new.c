/*
 * C++'s operator new calls malloc from inside libstdc++. A block should be known by the place in
 * the program that asked for it, so that is remembered on the way. (operator delete jumps to free,
 * which sees the program as its caller.)
 */
#include "alloc.h"
#include "runtime/real.h"
#include "runtime/rt.h"

uintptr_t hd_rt_new_caller;

static void forget_caller(const bool *outermost)
{
	if (*outermost)
		hd_rt_new_caller = 0;
}

/* Until the scope is left, by an exception too. An array's operator calls the other one. */
#define REMEMBER_CALLER()                                                                          \
	bool outermost __attribute__((cleanup(forget_caller))) = !hd_rt_new_caller;                \
                                                                                                   \
	if (outermost)                                                                             \
	hd_rt_new_caller = HD_CALLER

/* The mangled names, of one object and of arrays; plain, nothrow, with an alignment. */
#define NEW(name)                                                                                  \
	void *name(size_t size);                                                                   \
	HD_EXPORT void *name(size_t size)                                                          \
	{                                                                                          \
		REMEMBER_CALLER();                                                                 \
		return HD_REAL(name)(size);                                                        \
	}
#define NEW2(name, type)                                                                           \
	void *name(size_t size, type more);                                                        \
	HD_EXPORT void *name(size_t size, type more)                                               \
	{                                                                                          \
		REMEMBER_CALLER();                                                                 \
		return HD_REAL(name)(size, more);                                                  \
	}
#define NEW3(name)                                                                                 \
	void *name(size_t size, size_t align, const void *nothrow);                                \
	HD_EXPORT void *name(size_t size, size_t align, const void *nothrow)                       \
	{                                                                                          \
		REMEMBER_CALLER();                                                                 \
		return HD_REAL(name)(size, align, nothrow);                                        \
	}

NEW(_Znwm)
NEW(_Znam)
NEW2(_ZnwmRKSt9nothrow_t, const void *)
NEW2(_ZnamRKSt9nothrow_t, const void *)
NEW2(_ZnwmSt11align_val_t, size_t)
NEW2(_ZnamSt11align_val_t, size_t)
NEW3(_ZnwmSt11align_val_tRKSt9nothrow_t)
NEW3(_ZnamSt11align_val_tRKSt9nothrow_t)
