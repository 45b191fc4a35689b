/*
 * Which fibers can run, and what the others wait for.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "common/rng.h"
#include "fake_runtime.h"
#include "runtime/sched/queues.h"

#define FIBERS 100
static struct fiber fibers[FIBERS];

static int setup(void **state)
{
	hd_rt_forget_waiters();
	hd_rt.nrunnable = 0;
	hd_rt.opt.any_time = false;
	hd_rt_main_fiber.run_index = -1;
	hd_rt.cur = &hd_rt_main_fiber;
	for (uint32_t i = 0; i < FIBERS; i++)
		fake_fiber(&fibers[i], i + 2);
	fake_choice = 0;
	return 0;
}

static void wait_for(struct fiber *f, enum hd_thread_state why, uintptr_t addr, uint64_t deadline)
{
	if (f->run_index >= 0)
		hd_rt_remove_runnable(f, HD_F_BLOCKED);
	f->state = HD_F_BLOCKED;
	f->wait.why = why;
	f->wait.addr = addr;
	f->wait.deadline = deadline;
	hd_rt_queue_add(f);
	if (deadline != HD_NEVER)
		hd_rt_timed_add(f);
}

static void the_array_has_each_fiber_once(void **state)
{
	for (int i = 0; i < FIBERS; i++) {
		hd_rt_add_runnable(&fibers[i]);
		hd_rt_add_runnable(&fibers[i]);
	}
	assert_int_equal(hd_rt.nrunnable, FIBERS);
	hd_rt_hold(&fibers[0]); /* the last one takes its place */
	hd_rt_hold(&fibers[0]);
	hd_rt_remove_runnable(&fibers[50], HD_F_DONE);
	assert_int_equal(hd_rt.nrunnable, FIBERS - 2);
	assert_int_equal(fibers[0].state, HD_F_BLOCKED);
	assert_int_equal(fibers[50].state, HD_F_DONE);
	for (uint32_t i = 0; i < hd_rt.nrunnable; i++)
		assert_int_equal(hd_rt.runnable[i]->run_index, i);
}

static void all_that_wait_for_one_thing_wake(void **state)
{
	wait_for(&fibers[0], HD_TS_COND, 0x1000, HD_NEVER);
	wait_for(&fibers[1], HD_TS_MUTEX, 0x1000, HD_NEVER);
	wait_for(&fibers[2], HD_TS_COND, 0x2000, HD_NEVER);
	wait_for(&fibers[3], HD_TS_COND, 0x1000, HD_NEVER);
	assert_int_equal(hd_rt_wake_all(HD_TS_COND, 0x1000), 2);
	assert_int_equal(hd_rt.nrunnable, 2);
	assert_ptr_equal(hd_rt.runnable[0], &fibers[0]);
	assert_ptr_equal(hd_rt.runnable[1], &fibers[3]);
	assert_int_equal(fibers[3].wait.result, HD_WOKEN);
	assert_int_equal(fibers[3].wait.by, hd_rt_main_fiber.id);
	assert_int_equal(fibers[3].wait.why, HD_TS_RUNNABLE);
	assert_true(hd_rt_has_waiters(0x1000));
	assert_int_equal(hd_rt_wake_all(HD_TS_COND, 0x1000), 0);
	assert_int_equal(hd_rt_wake_all(HD_TS_MUTEX, 0x1000), 1);
	assert_false(hd_rt_has_waiters(0x1000));
	assert_true(hd_rt_has_waiters(0x2000));
}

/* There are more addresses than buckets: some are in the same one. */
static void neighbours_in_a_bucket_are_strangers(void **state)
{
	static struct fiber many[4096];

	for (uint32_t i = 0; i < 4096; i++) {
		fake_fiber(&many[i], i + 2);
		wait_for(&many[i], HD_TS_SEM, 0x10000 + i * 8, HD_NEVER);
	}
	for (uint32_t i = 0; i < 4096; i += 2) {
		assert_int_equal(hd_rt_wake_all(HD_TS_SEM, 0x10000 + i * 8), 1);
		assert_int_equal(many[i].state, HD_F_RUNNABLE);
	}
	for (uint32_t i = 1; i < 4096; i += 2) {
		assert_int_equal(many[i].state, HD_F_BLOCKED);
		assert_true(hd_rt_has_waiters(0x10000 + i * 8));
	}
}

/* An explorer's; others look at the first of a crowd only. */
static void the_policy_chooses_in_order_of_arrival(void **state)
{
	hd_rt.opt.any_time = true;
	assert_null(hd_rt_wake_one(HD_TS_COND, 0x40));
	for (int i = 0; i < FIBERS; i++) /* more than fit on the stack */
		wait_for(&fibers[i], HD_TS_COND, 0x40, HD_NEVER);
	fake_choice = 70;
	assert_ptr_equal(hd_rt_wake_one(HD_TS_COND, 0x40), &fibers[70]);
	assert_int_equal(fake_ncandidates, FIBERS);
	for (int i = 0; i < FIBERS; i++)
		assert_ptr_equal(fake_candidates[i], &fibers[i]);
	fake_choice = 0;
	assert_ptr_equal(hd_rt_wake_one(HD_TS_COND, 0x40), &fibers[0]);
	assert_int_equal(fake_ncandidates, FIBERS - 1);
	assert_int_equal(hd_rt.nrunnable, 2);
}

static void of_a_crowd_the_first_are_chosen_from(void **state)
{
	for (int i = 0; i < FIBERS; i++)
		wait_for(&fibers[i], HD_TS_COND, 0x40, HD_NEVER);
	for (unsigned woken = 0; woken < FIBERS; woken++) {
		unsigned left = FIBERS - woken;

		assert_ptr_equal(hd_rt_wake_one(HD_TS_COND, 0x40), &fibers[woken]);
		assert_int_equal(fake_ncandidates, left < 64 ? left : 64);
	}
	assert_null(hd_rt_wake_one(HD_TS_COND, 0x40));
}

static void waiters_of_a_lock_can_run_while_it_is_free(void **state)
{
	wait_for(&fibers[0], HD_TS_MUTEX, 0x80, HD_NEVER);
	wait_for(&fibers[1], HD_TS_MUTEX, 0x80, HD_NEVER);
	wait_for(&fibers[2], HD_TS_COND, 0x80, HD_NEVER);
	hd_rt_enable(HD_TS_MUTEX, 0x80);
	assert_int_equal(hd_rt.nrunnable, 2);
	assert_true(hd_rt_has_waiters(0x80)); /* they stay in the queue */
	hd_rt.cur = &fibers[1];		      /* it takes the lock */
	hd_rt_disable(HD_TS_MUTEX, 0x80);
	assert_int_equal(hd_rt.nrunnable, 1);
	assert_ptr_equal(hd_rt.runnable[0], &fibers[1]);
	assert_int_equal(fibers[0].state, HD_F_BLOCKED);
}

static void a_condition_s_waiter_moves_to_its_mutex(void **state)
{
	wait_for(&fibers[0], HD_TS_COND, 0x100, 500);
	hd_rt_requeue(&fibers[0], HD_TS_MUTEX, 0x200, false);
	assert_false(hd_rt_has_waiters(0x100));
	assert_true(hd_rt_has_waiters(0x200));
	assert_null(hd_rt.timed);
	assert_int_equal(fibers[0].wait.deadline, HD_NEVER);
	assert_int_equal(hd_rt.nrunnable, 0);
	hd_rt_requeue(&fibers[0], HD_TS_MUTEX, 0x300, true);
	assert_int_equal(hd_rt.nrunnable, 1);
	assert_false(hd_rt_has_waiters(0x200));
}

static void deadlines_come_in_order_and_equal_ones_by_arrival(void **state)
{
	static const uint64_t deadlines[] = { 30, 10, 20, 10, 30 };
	static const int order[] = { 1, 3, 2, 0, 4 };
	const struct fiber *f;

	for (int i = 0; i < 5; i++)
		wait_for(&fibers[i], HD_TS_SLEEP, 0, deadlines[i]);
	f = hd_rt.timed;
	for (int i = 0; i < 5; i++, f = f->wait.timed_next)
		assert_ptr_equal(f, &fibers[order[i]]);
	assert_null(f);
	hd_rt.sleepers_changed = false;
	hd_rt_stop_waiting(&fibers[2]);
	assert_true(hd_rt.sleepers_changed);
	assert_ptr_equal(fibers[3].wait.timed_next, &fibers[0]);
	hd_rt.nio = 1;
	wait_for(&fibers[6], HD_TS_IO, 0, HD_NEVER);
	hd_rt_wake(&fibers[6], HD_TIMEOUT);
	assert_int_equal(hd_rt.nio, 0);
	assert_int_equal(fibers[6].wait.result, HD_TIMEOUT);
}

/* Against a list that is looked through from one end to the other. */
static void random_waits_are_found_again(void **state)
{
	struct hd_rng rng;

	hd_rng_seed(&rng, 7);
	for (int round = 0; round < 20000; round++) {
		struct fiber *f = &fibers[hd_rng_below(&rng, FIBERS)];
		uintptr_t addr = 8 * (1 + hd_rng_below(&rng, 30));
		unsigned expected = 0;
		bool any = false;

		if (f->run_index >= 0 || f->wait.why != HD_TS_COND) {
			wait_for(f, HD_TS_COND, addr,
				 hd_rng_below(&rng, 2) ? HD_NEVER : (uint64_t)round);
			continue;
		}
		for (int i = 0; i < FIBERS; i++) {
			bool waits =
				fibers[i].wait.why == HD_TS_COND && fibers[i].wait.addr == addr;

			expected += waits;
			any |= waits;
		}
		assert_int_equal(hd_rt_has_waiters(addr), any);
		assert_int_equal(hd_rt_wake_all(HD_TS_COND, addr), expected);
		for (const struct fiber *t = hd_rt.timed; t && t->wait.timed_next;
		     t = t->wait.timed_next)
			assert_true(t->wait.deadline <= t->wait.timed_next->wait.deadline);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(the_array_has_each_fiber_once, setup),
		cmocka_unit_test_setup(all_that_wait_for_one_thing_wake, setup),
		cmocka_unit_test_setup(neighbours_in_a_bucket_are_strangers, setup),
		cmocka_unit_test_setup(the_policy_chooses_in_order_of_arrival, setup),
		cmocka_unit_test_setup(of_a_crowd_the_first_are_chosen_from, setup),
		cmocka_unit_test_setup(waiters_of_a_lock_can_run_while_it_is_free, setup),
		cmocka_unit_test_setup(a_condition_s_waiter_moves_to_its_mutex, setup),
		cmocka_unit_test_setup(deadlines_come_in_order_and_equal_ones_by_arrival, setup),
		cmocka_unit_test_setup(random_waits_are_found_again, setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
