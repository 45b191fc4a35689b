/*
 * std::promise::set_value_at_thread_exit and relatives: a future becomes ready when its thread ends. libstdc++
 * does that in its own machine code, unseen. So a thread's end makes the future ready by way of our hooks, and then
 * leaves it to libstdc++, which finds that done and has only to tidy up.
 *
 * The layouts are those of libstdc++'s ABI (GLIBCXX_3.4.21).
 */
#include <linux/futex.h>
#include <stdint.h>

#include "futex.h"
#include "runtime/abi/abi.h"
#include "runtime/real.h"
#include "runtime/rt.h"

#define READY	   1u
#define WAITER_BIT 0x80000000u

/* Who owns a shared_ptr's object. */
struct owners {
	void (**virtual)(struct owners *);
	uint32_t uses, weak_uses;
};

enum { VIRTUAL_DISPOSE = 2, VIRTUAL_DESTROY = 3 };

struct future_state {
	void *virtual, *result;
	uint32_t status;
};

/* std::__future_base::_State_baseV2::_Make_ready: a link in the list of what a thread does at its end. */
struct at_exit {
	struct at_exit *next;
	void (*run)(void *);
	struct future_state *state;
	struct owners *owners;
};

static void (*libstdcxx_run)(void *);

/* weak_ptr::lock() */
static bool share(struct owners *o)
{
	uint32_t uses = __tsan_atomic32_load(&o->uses, __ATOMIC_RELAXED);

	while (uses) {
		if (__tsan_atomic32_compare_exchange_strong(&o->uses, &uses, uses + 1,
							    __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
			return true;
	}
	return false;
}

static void let_go_weakly(struct owners *o)
{
	if (__tsan_atomic32_fetch_sub(&o->weak_uses, 1, __ATOMIC_ACQ_REL) == 1)
		o->virtual[VIRTUAL_DESTROY](o);
}

static void let_go(struct owners *o)
{
	if (__tsan_atomic32_fetch_sub(&o->uses, 1, __ATOMIC_ACQ_REL) != 1)
		return;
	o->virtual[VIRTUAL_DISPOSE](o);
	let_go_weakly(o);
}

static void become_ready(uint32_t *status)
{
	uint32_t was = __tsan_atomic32_exchange(status, READY, __ATOMIC_RELEASE);

	if ((was & WAITER_BIT) && hd_rt_enter(HD_CALLER))
		hd_rt_futex((long[]){ (long)status, FUTEX_WAKE, INT32_MAX, 0, 0, 0 });
}

static void hd_rt_run_at_exit(void *p)
{
	struct at_exit *e = p;
	struct owners *owners = e->owners;
	bool shared;

	/* Being an owner longer than libstdc++, so that who is the last is always seen. */
	__tsan_atomic32_fetch_add(&owners->weak_uses, 1, __ATOMIC_RELAXED);
	shared = share(owners);
	if (shared)
		become_ready(&e->state->status);
	libstdcxx_run(e); /* frees it */
	if (shared)
		let_go(owners);
	let_go_weakly(owners);
}

/* Puts the link into the list. */
void _ZNSt13__future_base13_State_baseV211_Make_ready6_M_setEv(struct at_exit *e);

HD_EXPORT void _ZNSt13__future_base13_State_baseV211_Make_ready6_M_setEv(struct at_exit *e)
{
	HD_REAL(_ZNSt13__future_base13_State_baseV211_Make_ready6_M_setEv)(e);
	libstdcxx_run = e->run;
	e->run = hd_rt_run_at_exit;
}
