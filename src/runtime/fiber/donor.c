#include "fiber.h"

#include <limits.h>

#include "hand_over.h"
#include "runtime/explore/repeat.h"
#include "runtime/explore/explore.h"
#include "runtime/real.h"
#include "runtime/sys.h"

/*
 * What the runtime itself may need on a fiber's stack: an unwinder's frames
 * when a finding is told.
 */
#define OWN_STACK (96u << 10)
/* Left free below the parked donor: red zone, and the frame of donor_main. */
#define PARK_GAP 512u

static HD_NOINLINE void park(struct fiber *f)
{
	f->fs = (uintptr_t)pthread_self();
	f->tid = (int)hd_sys(SYS_gettid);
	f->stack.top = (uintptr_t)__builtin_frame_address(0) - PARK_GAP;
	__atomic_store_n(&f->donor.word, 1, __ATOMIC_RELEASE); /* partner: hd_rt_donor_start */
	hd_futex_wake(&f->donor.word);
	if (hd_rt.opt.carriers == HD_CARRIERS_THREADS) {
		hd_rt_carry(f);
		return;
	}
	while (__atomic_load_n(&f->donor.word, __ATOMIC_ACQUIRE) != 2)
		hd_futex_wait(&f->donor.word, 1, NULL);
}

static void *donor_main(void *arg)
{
	park(arg);
	return NULL;
}

/* The attributes for a donor: the program's, with room for us on the stack. */
static void donor_attr(pthread_attr_t *out, const pthread_attr_t *attr)
{
	size_t size = 0;
	void *stack = NULL;

	pthread_attr_init(out);
	if (hd_rt.opt.stack_size)
		pthread_attr_setstacksize(out, hd_rt.opt.stack_size + OWN_STACK);
	if (!attr) {
		if (!hd_rt.opt.stack_size) {
			pthread_attr_getstacksize(out, &size);
			pthread_attr_setstacksize(out, size + OWN_STACK);
		}
		return;
	}
	/* glibc answers "address 0 minus size" when no stack was set. */
	pthread_attr_getstack(attr, &stack, &size);
	if (size && (uintptr_t)stack + size != 0) {
		pthread_attr_setstack(out, stack, size);
		return;
	}
	if (pthread_attr_getguardsize(attr, &size) == 0)
		pthread_attr_setguardsize(out, size);
	if (!hd_rt.opt.stack_size && pthread_attr_getstacksize(attr, &size) == 0)
		pthread_attr_setstacksize(out, size + OWN_STACK);
}

int hd_rt_donor_make(struct fiber *f, const pthread_attr_t *attr)
{
	size_t size = 0;
	uint64_t all = ~(1ull << 32), before = 0; /* all but 33, which glibc uses for setuid */
	int rc;

	f->donor.pid = hd_rt.pid;
	hd_rt_repeat_cannot();
	/* The donor inherits a full signal mask: signals are for the carrier. */
	hd_sys(SYS_rt_sigprocmask, SIG_SETMASK, &all, &before, 8);
	hd_rt.busy++;
	rc = HD_REAL(pthread_create)(&f->thread.pt, attr, donor_main, f);
	hd_rt.busy--;
	hd_sys(SYS_rt_sigprocmask, SIG_SETMASK, &before, 0, 8);
	if (rc)
		return rc;
	pthread_attr_getstacksize(attr, &size);
	while (__atomic_load_n(&f->donor.word, __ATOMIC_ACQUIRE) == 0)
		hd_futex_wait(&f->donor.word, 0, NULL);
	f->stack.low = f->stack.top - size;
	return 0;
}

int hd_rt_donor_start(struct fiber *f, const pthread_attr_t *attr)
{
	pthread_attr_t own;
	int rc = 0;

	donor_attr(&own, attr);
	if (!hd_rt.exploring || !hd_rt_spare_take(f, &own))
		rc = hd_rt_donor_make(f, &own);
	pthread_attr_destroy(&own);
	return rc;
}

void hd_rt_donor_end(struct fiber *f)
{
	if (f->donor.pid != hd_rt.pid) /* it stayed in the process that this one is a copy of */
		return;
	if (hd_rt.opt.carriers == HD_CARRIERS_THREADS) {
		hd_rt_hand_over_end(f);
	} else {
		__atomic_store_n(&f->donor.word, 2, __ATOMIC_RELEASE); /* partner: park */
		hd_futex_wake(&f->donor.word);
	}
	hd_rt.busy++;
	HD_REAL(pthread_join)(f->thread.pt, NULL);
	hd_rt.busy--;
}
