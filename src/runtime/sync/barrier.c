/*
 * Barriers, with a layout of our own in the program's pthread_barrier_t: all its
 * operations are ours.
 */
#include <errno.h>

#include "between.h"
#include "object_type.h"
#include "runtime/explore/explore.h"
#include "runtime/explore/unused_result.h"
#include "runtime/observe/findings.h"
#include "runtime/real.h"
#include "runtime/rt.h"

struct barrier {
	uint32_t arrived;
	uint32_t round;
	uint32_t count; /* 0: not initialised, or destroyed */
};

_Static_assert(sizeof(struct barrier) <= sizeof(pthread_barrier_t), "must fit in place");

HD_EXPORT int pthread_barrier_init(pthread_barrier_t *pb, const pthread_barrierattr_t *attr,
				   unsigned count)
{
	struct barrier *b = (struct barrier *)pb;

	if (!hd_rt_enter(HD_CALLER))
		return HD_REAL(pthread_barrier_init)(pb, attr, count);
	if (count == 0)
		return EINVAL;
	if (hd_rt_has_waiters((uintptr_t)b))
		hd_rt_misuse((uintptr_t)b, "initialisation of a barrier that threads wait at");
	*b = (struct barrier){ .count = count };
	hd_rt_made_as(pb, HD_OBJECT_BARRIER);
	return 0;
}

HD_EXPORT int pthread_barrier_destroy(pthread_barrier_t *pb)
{
	struct barrier *b = (struct barrier *)pb;

	if (!hd_rt_enter(HD_CALLER))
		return HD_REAL(pthread_barrier_destroy)(pb);
	hd_rt_point();
	hd_rt_used_as(pb, HD_OBJECT_BARRIER, "destruction");
	hd_rt_explore_touch((uintptr_t)b);
	if (b->arrived) {
		hd_rt_misuse((uintptr_t)b, "destruction of a barrier that %u threads wait at",
			     b->arrived);
		return EBUSY;
	}
	/* Threads that were released may not have left yet; POSIX lets one of them destroy it. */
	b->count = 0;
	hd_rt_made_as(pb, HD_OBJECT_NEW);
	return 0;
}

static void leave(const struct barrier *b, uint32_t round)
{
	hd_rt_explore_leave((uintptr_t)b, round);
	hd_rt_event(HD_OP_BARRIER_LEAVE, (uintptr_t)b, round, 0);
}

HD_EXPORT int pthread_barrier_wait(pthread_barrier_t *pb)
{
	struct barrier *b = (struct barrier *)pb;
	uint32_t round;
	bool last;

	if (!hd_rt_enter(HD_CALLER))
		return HD_REAL(pthread_barrier_wait)(pb);
	hd_rt_point();
	hd_rt_used_as(pb, HD_OBJECT_BARRIER, "wait");
	if (b->count == 0) {
		hd_rt_misuse((uintptr_t)b, "wait at a barrier that is not initialised");
		return EINVAL;
	}
	round = __atomic_load_n(&b->round, __ATOMIC_SEQ_CST);
	hd_rt_event(HD_OP_BARRIER_ENTER, (uintptr_t)b, round, 0);
	hd_rt.soft_progress++;
	last = __atomic_add_fetch(&b->arrived, 1, __ATOMIC_SEQ_CST) == b->count;
	if (unlikely(hd_rt.exploring))
		hd_rt_explore_arrive(
			(uintptr_t)b, round, last,
			!hd_rt_is_result_unused(HD_CALLER, __builtin_frame_address(0)));
	if (last) {
		b->arrived = 0;
		__atomic_store_n(&b->round, round + 1, __ATOMIC_SEQ_CST);
		hd_rt_wake_all(HD_TS_BARRIER, (uintptr_t)b);
		hd_rt_point(); /* to leave is another step, as it is for the others */
		leave(b, round);
		return PTHREAD_BARRIER_SERIAL_THREAD;
	}
	while (hd_rt_between(b) && __atomic_load_n(&b->round, __ATOMIC_SEQ_CST) == round)
		hd_rt_between_pause(b);
	if (hd_rt_between(b)) {
		leave(b, round);
		return 0;
	}
	/* Once released, another thread may have destroyed it: do not look at it again. */
	do {
		hd_rt_block(HD_TS_BARRIER, (uintptr_t)b, HD_NEVER);
	} while (hd_rt.cur->wait.result == HD_INTERRUPTED);
	leave(b, round);
	return 0;
}
