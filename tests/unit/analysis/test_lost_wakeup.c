/*
 * Waits that a wake-up may miss: known cases, and random runs against the definition in
 * lost_wakeup.h, read word by word. HEDDLE_TEST_SEED repeats a run that failed.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "analysis/locks/lost_wakeup.h"
#include "common/rng.h"

enum { MUTEX = 0x1000, OUTER = MUTEX + 64, COND = 0x2000, FLAG = 0x3000, PC = 0x400 };

static bool first_of(const struct hd_event *events, size_t n, struct hd_lost_wakeup *out)
{
	struct hd_lost_wakeups *l = hd_lost_wakeups_new();
	bool found;

	assert_int_equal(hd_lost_wakeups_waits(l, events, n), HD_OK);
	assert_int_equal(hd_lost_wakeups_wakes(l, events, n), HD_OK);
	found = hd_lost_wakeups_first(l, out);
	hd_lost_wakeups_free(l);
	return found;
}

#define EVENT(t, o, a, v)                                                                          \
	{                                                                                          \
		.thread = t, .op = HD_OP_##o, .addr = a, .value = v, .size = 4,                    \
		.pc = PC + __LINE__                                                                \
	}

static void a_condition_that_is_set_under_the_mutex(void **state)
{
	struct hd_event events[] = {
		EVENT(1, ACQUIRE, MUTEX, 0), EVENT(1, READ, FLAG, 0),
		EVENT(1, WAIT, COND, MUTEX), EVENT(1, RELEASE, MUTEX, 0),
		EVENT(2, ACQUIRE, MUTEX, 0), EVENT(2, WRITE, FLAG, 1),
		EVENT(2, RELEASE, MUTEX, 0), EVENT(2, NOTIFY, COND, 1),
		EVENT(1, ACQUIRE, MUTEX, 0), EVENT(1, WAKE, COND, 2),
	};
	struct hd_lost_wakeup found;

	assert_false(first_of(events, 10, &found));
	/* It is set without the mutex. */
	events[4].addr = events[6].addr = MUTEX + 64;
	assert_true(first_of(events, 10, &found));
	assert_int_equal(found.wait.addr, COND);
	assert_int_equal(found.other.op, 0);
	/* Nobody looks at it. */
	events[4].addr = events[6].addr = MUTEX;
	events[1].addr = FLAG + 64;
	assert_true(first_of(events, 10, &found));
	/* The wait would have ended by itself. */
	events[9].value = 0;
	events[9].value2 = 110;
	assert_false(first_of(events, 10, &found));
}

/* As std::condition_variable_any does it, which waits with a mutex of its own. */
static void a_mutex_that_is_taken_under_the_users(void **state)
{
	struct hd_event events[] = {
		EVENT(1, ACQUIRE, OUTER, 0), EVENT(1, READ, FLAG, 0),
		EVENT(1, ACQUIRE, MUTEX, 0), EVENT(1, RELEASE, OUTER, 0),
		EVENT(1, WAIT, COND, MUTEX), EVENT(1, RELEASE, MUTEX, 0),
		EVENT(2, ACQUIRE, OUTER, 0), EVENT(2, WRITE, FLAG, 1),
		EVENT(2, RELEASE, OUTER, 0), EVENT(2, ACQUIRE, MUTEX, 0),
		EVENT(2, NOTIFY, COND, 1),   EVENT(2, RELEASE, MUTEX, 0),
	};
	struct hd_lost_wakeup found;

	assert_false(first_of(events, 12, &found));
	/* The user's was given back too early: the flag may be set, and told, in between. */
	events[2] = (struct hd_event)EVENT(1, RELEASE, OUTER, 0);
	events[3] = (struct hd_event)EVENT(1, ACQUIRE, MUTEX, 0);
	assert_true(first_of(events, 12, &found));
	events[2] = (struct hd_event)EVENT(1, ACQUIRE, MUTEX, 0);
	events[3] = (struct hd_event)EVENT(1, RELEASE, OUTER, 0);
	assert_false(first_of(events, 12, &found));
	/* Nothing keeps the notification from coming before the wait. */
	events[9].addr = events[11].addr = MUTEX + 128;
	assert_true(first_of(events, 12, &found));
}

static void a_signal_for_two_kinds_of_waiters(void **state)
{
	struct hd_event events[] = {
		EVENT(1, ACQUIRE, MUTEX, 0), EVENT(1, READ, FLAG, 0),
		EVENT(1, WAIT, COND, MUTEX), EVENT(1, RELEASE, MUTEX, 0),
		EVENT(3, ACQUIRE, MUTEX, 0), EVENT(3, READ, FLAG, 0),
		EVENT(3, WAIT, COND, MUTEX), EVENT(3, RELEASE, MUTEX, 0),
		EVENT(2, ACQUIRE, MUTEX, 0), EVENT(2, WRITE, FLAG, 1),
		EVENT(2, NOTIFY, COND, 1),   EVENT(2, RELEASE, MUTEX, 0),
	};
	struct hd_lost_wakeup found;

	assert_true(first_of(events, 12, &found));
	assert_int_equal(found.other.thread, 3);
	events[10].op = HD_OP_NOTIFY_ALL;
	assert_false(first_of(events, 12, &found));
	events[10].op = HD_OP_NOTIFY;
	events[6].pc = events[2].pc; /* the same place: they wait for the same */
	assert_false(first_of(events, 12, &found));
}

/* ---- the definition ------------------------------------------------------------------------ */

static int depth(const struct hd_event *ev, size_t at, uint32_t thread, uint64_t lock)
{
	int n = 0;

	for (size_t i = 0; i < at; i++) {
		if (ev[i].thread != thread || (lock && ev[i].addr != lock))
			continue;
		n += ev[i].op == HD_OP_ACQUIRE;
		n -= ev[i].op == HD_OP_RELEASE;
	}
	return n;
}

static bool same_site(const struct hd_event *a, const struct hd_event *b)
{
	return a->pc == b->pc && a->addr == b->addr && a->value == b->value;
}

/* Had the waiter of event @w read the word of event @write since it held nothing? */
static bool had_read(const struct hd_event *ev, size_t w, const struct hd_event *write)
{
	for (size_t i = w; i-- > 0;) {
		if (ev[i].thread != ev[w].thread)
			continue;
		if (ev[i].op == HD_OP_READ && ev[i].addr / 8 == write->addr / 8)
			return true;
		if (ev[i].op == HD_OP_ACQUIRE && depth(ev, i, ev[i].thread, 0) == 0)
			return false;
	}
	return false;
}

/* The lock that the waiter of event @w held as it took the mutex that it waits with; 0: none. */
static uint64_t around_of(const struct hd_event *ev, size_t w)
{
	uint32_t thread = ev[w].thread;
	uint64_t mutex = ev[w].value, other = mutex == MUTEX ? OUTER : MUTEX;

	if (depth(ev, w, thread, mutex) <= 0)
		return 0;
	for (size_t i = w; i-- > 0;) {
		if (ev[i].thread == thread && ev[i].op == HD_OP_ACQUIRE && ev[i].addr == mutex)
			return depth(ev, i, thread, other) > 0 ? other : 0;
	}
	return 0;
}

static uint64_t around_site(const struct hd_event *ev, size_t n, const struct hd_event *site)
{
	uint64_t around = 0;

	for (size_t w = 0; w < n; w++) {
		if (ev[w].op == HD_OP_WAIT && same_site(&ev[w], site) && around_of(ev, w))
			around = around_of(ev, w);
	}
	return around;
}

/*
 * Did thread @u, before event @j, write what a wait at this place looks at: under its mutex, or under the lock
 * around that, and does it hold the mutex at @j?
 */
static bool had_set(const struct hd_event *ev, size_t n, const struct hd_event *site, size_t j,
		    uint32_t u)
{
	uint64_t around = around_site(ev, n, site);
	bool holds = depth(ev, j, u, site->value) > 0;

	for (size_t k = 0; k < j; k++) {
		bool under = depth(ev, k, u, site->value) > 0;

		under |= holds && around && depth(ev, k, u, around) > 0;
		if (ev[k].thread != u || ev[k].op != HD_OP_WRITE || !under)
			continue;
		for (size_t w = 0; w < n; w++) {
			if (ev[w].op == HD_OP_WAIT && same_site(&ev[w], site) &&
			    had_read(ev, w, &ev[k]))
				return true;
		}
	}
	return false;
}

static bool expected(const struct hd_event *ev, size_t n, struct hd_lost_wakeup *out)
{
	for (size_t s = 0; s < n; s++) {
		bool notified = false, one = false, set = false, first = true;

		if (ev[s].op != HD_OP_WAIT)
			continue;
		for (size_t k = 0; k < s; k++)
			first &= ev[k].op != HD_OP_WAIT || !same_site(&ev[k], &ev[s]);
		for (size_t j = 0; j < n && first; j++) {
			if ((ev[j].op != HD_OP_NOTIFY && ev[j].op != HD_OP_NOTIFY_ALL) ||
			    ev[j].addr != ev[s].addr)
				continue;
			notified = true;
			one |= ev[j].op == HD_OP_NOTIFY;
			set |= had_set(ev, n, &ev[s], j, ev[j].thread);
		}
		*out = (struct hd_lost_wakeup){ .wait = ev[s] };
		if (notified && !set)
			return true;
		for (size_t k = s + 1; k < n && notified && one; k++) {
			out->other = ev[k];
			if (ev[k].op == HD_OP_WAIT && ev[k].addr == ev[s].addr &&
			    ev[k].pc != ev[s].pc)
				return true;
		}
	}
	return false;
}

/* Threads that take and give back two mutexes, read, write, wait and notify as chance has it. */
static size_t random_events(struct hd_rng *r, struct hd_event *ev, size_t n)
{
	static const uint8_t ops[] = {
		HD_OP_READ,	  HD_OP_WRITE,	 HD_OP_WAIT,	HD_OP_NOTIFY,
		HD_OP_NOTIFY_ALL, HD_OP_ACQUIRE, HD_OP_ACQUIRE, HD_OP_RELEASE
	};

	for (size_t i = 0; i < n; i++) {
		uint32_t thread = 1 + hd_rng_next(r) % 3;
		uint64_t mutex = hd_rng_next(r) % 2 ? OUTER : MUTEX;
		struct hd_event e = { .thread = thread, .op = ops[hd_rng_next(r) % 8], .size = 4 };

		if (e.op == HD_OP_READ || e.op == HD_OP_WRITE)
			e.addr = FLAG + 4 * (hd_rng_next(r) % 6);
		else if (e.op == HD_OP_ACQUIRE || e.op == HD_OP_RELEASE)
			e.addr = mutex;
		else
			e.addr = COND + 64 * (hd_rng_next(r) % 2);
		if (e.op == HD_OP_WAIT) {
			e.value = mutex;
			e.pc = PC + hd_rng_next(r) % 2;
		}
		if ((e.op == HD_OP_RELEASE && depth(ev, i, thread, mutex) == 0) ||
		    (e.op == HD_OP_ACQUIRE && depth(ev, i, thread, mutex) > 0))
			e.op = HD_OP_READ; /* of something else */
		ev[i] = e;
	}
	return n;
}

static void random_runs(void **state)
{
	const char *given = getenv("HEDDLE_TEST_SEED");
	uint64_t base = given ? strtoull(given, NULL, 10) : 1, told = 0;
	unsigned runs = getenv("HEDDLE_TEST_FULL") ? 1000000 : 30000;

	for (uint64_t seed = base; seed < base + runs; seed++) {
		struct hd_lost_wakeup got = { 0 }, want = { 0 };
		struct hd_event ev[24];
		struct hd_rng r;
		size_t n;
		bool a, b;

		hd_rng_seed(&r, seed);
		n = random_events(&r, ev, 4 + hd_rng_next(&r) % 20);
		a = first_of(ev, n, &got);
		b = expected(ev, n, &want);
		if (a != b ||
		    (a && (!same_site(&got.wait, &want.wait) || got.other.op != want.other.op)))
			fail_msg("HEDDLE_TEST_SEED=%llu", (unsigned long long)seed);
		told += a;
	}
	assert_in_range(told, runs / 20, runs); /* it is about something */
	assert_true(told < runs - runs / 20);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_condition_that_is_set_under_the_mutex),
		cmocka_unit_test(a_mutex_that_is_taken_under_the_users),
		cmocka_unit_test(a_signal_for_two_kinds_of_waiters),
		cmocka_unit_test(random_runs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
