/*
 * Futexes that a program uses directly, by syscall(SYS_futex, ...): C++'s
 * atomic waits and home-made locks.
 */
#include "futex.h"

#include <errno.h>

#include "runtime/rt.h"
#include "runtime/sys.h"

/* Which clock and kind of timeout an operation has. */
static uint64_t deadline_of(int op, const struct timespec *t)
{
	if (!t)
		return HD_NEVER;
	if ((op & FUTEX_CMD_MASK) == FUTEX_WAIT)
		return hd_rt_deadline_rel(t);
	return hd_rt_deadline_abs(op & FUTEX_CLOCK_REALTIME ? CLOCK_REALTIME : CLOCK_MONOTONIC, t);
}

static long futex_wait(uint32_t *word, int op, uint32_t expect, const struct timespec *t)
{
	uint64_t deadline = deadline_of(op, t);

	hd_rt_point();
	hd_rt_event(HD_OP_HB_ACQUIRE, (uintptr_t)word, 0, 0);
	if (*word != expect)
		return -EAGAIN;
	if (deadline <= hd_rt.now) {
		hd_rt_expired();
		return -ETIMEDOUT;
	}
	switch (hd_rt_block_cancellable(HD_TS_FUTEX, (uintptr_t)word, deadline, true)) {
	case HD_TIMEOUT:
		return -ETIMEDOUT;
	case HD_INTERRUPTED:
		return -EINTR;
	default:
		hd_rt_event(HD_OP_HB_ACQUIRE, (uintptr_t)word, 0, 0);
		return 0;
	}
}

static long wake(uint32_t *word, uint32_t count)
{
	long n = 0;

	hd_rt_event(HD_OP_HB_RELEASE, (uintptr_t)word, 0, 0);
	while ((uint32_t)n < count && hd_rt_wake_one(HD_TS_FUTEX, (uintptr_t)word))
		n++;
	hd_rt.soft_progress += n > 0;
	return n;
}

/* The waiters beyond @count move to another word. */
static long requeue(uint32_t *word, uint32_t count, uint32_t *to, uint32_t limit)
{
	long n = wake(word, count);

	for (struct fiber *f = hd_rt.all; f && limit; f = f->next) {
		if (f->state == HD_F_BLOCKED && f->wait.why == HD_TS_FUTEX &&
		    f->wait.addr == (uintptr_t)word) {
			hd_rt_requeue(f, HD_TS_FUTEX, (uintptr_t)to, false);
			n++;
			limit--;
		}
	}
	return n;
}

long hd_rt_futex(const long *a)
{
	uint32_t *word = (uint32_t *)a[0];
	int op = (int)a[1];

	switch (op & FUTEX_CMD_MASK) {
	case FUTEX_WAIT:
	case FUTEX_WAIT_BITSET:
		return futex_wait(word, op, (uint32_t)a[2], (const struct timespec *)a[3]);
	case FUTEX_WAKE:
	case FUTEX_WAKE_BITSET:
		hd_rt_point();
		return wake(word, (uint32_t)a[2]);
	case FUTEX_CMP_REQUEUE:
		hd_rt_point();
		if (*word != (uint32_t)a[5])
			return -EAGAIN;
		return requeue(word, (uint32_t)a[2], (uint32_t *)a[4], (uint32_t)a[3]);
	case FUTEX_REQUEUE:
		hd_rt_point();
		return requeue(word, (uint32_t)a[2], (uint32_t *)a[4], (uint32_t)a[3]);
	default:
		hd_rt_drop("futex operations that are not modelled");
		return hd_sys6(SYS_futex, a[0], a[1], a[2], a[3], a[4], a[5]);
	}
}
