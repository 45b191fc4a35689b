/*
 * Exceptions that threads hand to each other (std::exception_ptr, futures) count their owners, and the last one
 * ends the exception. libstdc++ counts in its own machine code, unseen. So we order the owners: what they did with
 * the exception comes before its end, and nothing else.
 *
 * std::exception_ptr is a pointer to the exception, which lies behind its header. (libc++ has no _M_release: there
 * nothing is ordered.)
 */
#include "runtime/real.h"
#include "runtime/rt.h"

#define RELEASE _ZNSt15__exception_ptr13exception_ptr10_M_releaseEv
#define CURRENT _ZSt17current_exceptionv

void RELEASE(void **exception);
void CURRENT(void **result); /* one more owner */
void __cxa_end_catch(void);

#define REAL(name)    REAL_OF(name)
#define REAL_OF(name) HD_REAL(name)

#define HEADER 128 /* bytes; the number of owners is the first member */

static bool is_last_owner(const void *exception)
{
	return *(const int *)((const char *)exception - HEADER) <= 1;
}

static void let_go(void **exception)
{
	hd_rt_point();
	hd_rt_event(HD_OP_HB_RELEASE, (uintptr_t)*exception, 0, 0);
	if (is_last_owner(*exception))
		hd_rt_event(HD_OP_HB_ACQUIRE, (uintptr_t)*exception, 0, 0);
	REAL(RELEASE)(exception);
}

HD_EXPORT void RELEASE(void **exception)
{
	if (*exception && hd_rt_enter(HD_CALLER))
		let_go(exception);
	else
		REAL(RELEASE)(exception);
}

/* We own the exception longer than the handler, whose end is no single step. */
HD_EXPORT void __cxa_end_catch(void)
{
	bool seen = REAL(RELEASE) && REAL(CURRENT) && hd_rt_enter(HD_CALLER);
	uintptr_t caller = HD_CALLER;
	void *caught = NULL; /* it stays so for what is no exception of C++ */

	if (seen)
		REAL(CURRENT)(&caught);
	HD_REAL(__cxa_end_catch)();
	if (caught && hd_rt_enter(caller))
		let_go(&caught);
	else if (caught)
		REAL(RELEASE)(&caught);
}
