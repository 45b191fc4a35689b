/*
 * Futexes that a program uses directly, by syscall(SYS_futex, ...): C++'s
 * atomic waits and home-made locks.
 */
#include "futex.h"

#include <errno.h>

#include "runtime/memory/mapped_twice.h"
#include "runtime/rt.h"
#include "runtime/sys.h"
#include "runtime/thread/thread.h"

/* Which clock and kind of timeout an operation has. */
static uint64_t deadline_of(int op, const struct timespec *t)
{
	if (!t)
		return HD_NEVER;
	if ((op & FUTEX_CMD_MASK) == FUTEX_WAIT)
		return hd_rt_deadline_rel(t);
	if ((op & FUTEX_CMD_MASK) == FUTEX_LOCK_PI)
		return hd_rt_deadline_abs(CLOCK_REALTIME, t);
	return hd_rt_deadline_abs(op & FUTEX_CLOCK_REALTIME ? CLOCK_REALTIME : CLOCK_MONOTONIC, t);
}

static long futex_wait(uint32_t *word, int op, uint32_t expect, const struct timespec *t)
{
	uint64_t deadline = deadline_of(op, t);

	hd_rt_point();
	hd_rt_event(HD_OP_HB_ACQUIRE, (uintptr_t)word, 0, 0);
	if (*word != expect)
		return -EAGAIN;
	if (hd_rt_is_past(deadline)) {
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
		    f->wait.addr == hd_rt_name_of((uintptr_t)word)) {
			hd_rt_requeue(f, HD_TS_FUTEX, (uintptr_t)to, false);
			n++;
			limit--;
		}
	}
	return n;
}

/* FUTEX_WAKE_OP: change a word, wake who waits for another, and for this one if it was as asked for. */
static int32_t changed(uint32_t how, int32_t is)
{
	int32_t arg = (int32_t)(how << 8) >> 20;

	if (how >> 31) /* FUTEX_OP_OPARG_SHIFT */
		arg = (int32_t)(1u << (arg & 31));
	switch (how >> 28 & 7) {
	case FUTEX_OP_SET:
		return arg;
	case FUTEX_OP_ADD:
		return (int32_t)((uint32_t)is + (uint32_t)arg);
	case FUTEX_OP_OR:
		return is | arg;
	case FUTEX_OP_ANDN:
		return is & ~arg;
	default:
		return is ^ arg;
	}
}

static bool compares(uint32_t how, int32_t was)
{
	int32_t arg = (int32_t)(how << 20) >> 20;

	switch (how >> 24 & 15) {
	case FUTEX_OP_CMP_EQ:
		return was == arg;
	case FUTEX_OP_CMP_NE:
		return was != arg;
	case FUTEX_OP_CMP_LT:
		return was < arg;
	case FUTEX_OP_CMP_LE:
		return was <= arg;
	case FUTEX_OP_CMP_GT:
		return was > arg;
	default:
		return was >= arg;
	}
}

static long wake_and_change(const long *a)
{
	uint32_t *word = (uint32_t *)a[0], *other = (uint32_t *)a[4], how = (uint32_t)a[5];
	int32_t was = (int32_t)*other, is = changed(how, was);
	long n;

	*other = (uint32_t)is;
	hd_rt_atomic_store_event((uintptr_t)other, 4, (uint32_t)is);
	n = wake(word, (uint32_t)a[2]);
	return compares(how, was) ? n + wake(other, (uint32_t)a[3]) : n;
}

/* ---- with priority inheritance: the word is the owner's thread number ---------------- */

static uint32_t own_number(void)
{
	return (uint32_t)hd_rt_tid(hd_rt.cur);
}

static long lock_pi(uint32_t *word, bool try, uint64_t deadline)
{
	hd_rt_point();
	while (*word & FUTEX_TID_MASK) {
		if ((*word & FUTEX_TID_MASK) == own_number())
			return -EDEADLK;
		if (try)
			return -EAGAIN;
		*word |= FUTEX_WAITERS;
		if (hd_rt_too_late(deadline) ||
		    hd_rt_block(HD_TS_FUTEX, (uintptr_t)word, deadline) == HD_TIMEOUT)
			return -ETIMEDOUT;
	}
	*word = own_number() | (hd_rt_has_waiters((uintptr_t)word) ? FUTEX_WAITERS : 0);
	hd_rt_event(HD_OP_HB_ACQUIRE, (uintptr_t)word, 0, 0);
	hd_rt.soft_progress++;
	return 0;
}

static long unlock_pi(uint32_t *word)
{
	hd_rt_point();
	if ((*word & FUTEX_TID_MASK) != own_number())
		return -EPERM;
	*word = 0;
	wake(word, UINT32_MAX);
	hd_rt.soft_progress++;
	return 0;
}

/* ---- the call ----------------------------------------------------------------------- */

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
	case FUTEX_WAKE_OP:
		hd_rt_point();
		return wake_and_change(a);
	case FUTEX_LOCK_PI:
	case FUTEX_LOCK_PI2:
		return lock_pi(word, false, deadline_of(op, (const struct timespec *)a[3]));
	case FUTEX_TRYLOCK_PI:
		return lock_pi(word, true, HD_NEVER);
	case FUTEX_UNLOCK_PI:
		return unlock_pi(word);
	default:
		hd_rt_drop("futex operations that are not modelled");
		return hd_sys6(SYS_futex, a[0], a[1], a[2], a[3], a[4], a[5]);
	}
}
