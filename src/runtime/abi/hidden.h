/*
 * Memory of the program's that accesses are not looked at: copies that the runtime has given to
 * threads, each for itself, and that the analyses would take for shared.
 */
#ifndef HD_RUNTIME_HIDDEN_H
#define HD_RUNTIME_HIDDEN_H

#include "runtime/fiber/light.h"
#include "runtime/thread/thread.h"

#define HD_HIDDEN_LOW  0x0c0000000000ul
#define HD_HIDDEN_SIZE (UINT64_C(1) << 36)

/* Zeroed memory, in pages. NULL: there is none. */
void *hd_rt_hidden_alloc(size_t size);
void hd_rt_hidden_free(void *p, size_t size);

/* Is @a a thread-local variable of which somebody wants to know that it is used? */
static inline bool hd_rt_is_of_thread(uintptr_t a)
{
	const struct fiber *me = hd_rt.cur;

	return unlikely(me->tls.high != 0) && a - me->tls.low < me->tls.high - me->tls.low;
}

/* Is @a, a thread-local variable, one of libc's own? By its errno nobody knows a thread. */
static inline bool hd_rt_is_of_libc(uintptr_t a)
{
	return a - (hd_rt.cur->tls.thread + (uintptr_t)hd_rt_tls_of_libc.at) <
	       hd_rt_tls_of_libc.size;
}

/* Is the running fiber's access to @a nobody else's business? */
static inline __attribute__((always_inline)) bool hd_rt_hidden(uintptr_t a)
{
	struct fiber *me = hd_rt.cur;

	if (hd_rt_is_of_thread(a)) {
		if (!hd_rt_is_of_libc(a))
			hd_rt_thread_matters(me);
		if (me->tls.lender)
			return true;
	}
	return a - HD_HIDDEN_LOW < HD_HIDDEN_SIZE;
}

#endif
