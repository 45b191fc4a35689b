/*
 * Telling a thread that waits in a loop from one that works.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <string.h>

#include "fake_runtime.h"

#define ROUNDS 20000

static struct fiber me, other;
static volatile unsigned
	rounds; /* in no register and on no stack: the loops' own state is not it */
static char others_stack[64];

static int setup(void **state)
{
	pthread_attr_t attr;
	void *low;
	size_t size;

	assert_int_equal(pthread_getattr_np(pthread_self(), &attr), 0);
	assert_int_equal(pthread_attr_getstack(&attr, &low, &size), 0);
	pthread_attr_destroy(&attr);
	fake_fiber(&me, 1);
	fake_fiber(&other, 2);
	me.stack.low = (uintptr_t)low;
	me.stack.top =
		(uintptr_t)__builtin_frame_address(0) + 512; /* enough of what is below main */
	other.stack.low = (uintptr_t)others_stack;
	other.stack.top = other.stack.low + sizeof(others_stack);
	me.next = &other;
	hd_rt.all = hd_rt.cur = &me;
	memset(&hd_rt.opt, 0, sizeof(hd_rt.opt));
	hd_rt.progress = hd_rt.now = 1;
	hd_rt.soft_progress = hd_rt.lock_progress = hd_rt.stack_progress = 0;
	rounds = 0;
	return 0;
}

/* As an interposed call that changes nothing does. */
static HD_NOINLINE void look(void)
{
	me.pc = HD_CALLER;
	hd_rt_spin();
}

static HD_NOINLINE void wait_in_vain(void)
{
	while (!me.spin.cycle && rounds < ROUNDS) {
		rounds++;
		look();
	}
}

static HD_NOINLINE void count_and_look(void)
{
	for (volatile unsigned i = 0; i < ROUNDS && !me.spin.cycle; i++) {
		rounds++;
		look();
	}
}

static void a_loop_without_effect_is_spinning(void **state)
{
	wait_in_vain();
	assert_true(me.spin.cycle);
	assert_true(hd_rt_is_spinning(&me));
	assert_true(rounds < 1000);
	hd_rt_progress(); /* somebody does something */
	assert_false(hd_rt_is_spinning(&me));
	rounds = 0;
	me.spin.cycle = false;
	wait_in_vain();
	assert_true(hd_rt_is_spinning(&me));
}

static void a_loop_that_counts_is_none(void **state)
{
	count_and_look();
	assert_int_equal(rounds, ROUNDS);
	assert_false(me.spin.cycle);
}

static HD_NOINLINE void wait_while_others_work(void)
{
	while (!me.spin.cycle && rounds < ROUNDS) {
		rounds++;
		hd_rt_progress();
		look();
	}
}

static void a_loop_while_others_work_is_none(void **state)
{
	wait_while_others_work();
	assert_false(me.spin.cycle);
}

static void an_explorer_knows_at_the_second_round(void **state)
{
	hd_rt.opt.any_time = true;
	wait_in_vain();
	assert_true(me.spin.cycle);
	assert_true(rounds <= 3);
}

static HD_NOINLINE void take_and_give(bool stop_inside)
{
	struct hd_held held[1] = { { .addr = 0x100, .depth = 1 } };

	me.locks.held = held;
	while (!me.spin.cycle && rounds < ROUNDS) {
		rounds++;
		hd_rt_lock_moved();
		me.locks.n = 1;
		if (stop_inside)
			look();
		me.locks.n = 0;
		hd_rt_lock_moved();
		if (!stop_inside)
			look();
	}
	me.locks.held = NULL;
}

/* Others may wait for the lock: it can be left alone only where it does not have it. */
static void who_takes_locks_is_left_alone_without_them(void **state)
{
	take_and_give(true);
	assert_false(me.spin.cycle);
	assert_true(me.spin.locks_too);
	setup(state);
	take_and_give(false);
	assert_true(me.spin.cycle);
	/* It may let others through on its way, so that nobody goes on is not proved. */
	hd_rt.nrunnable = 0;
	hd_rt_add_runnable(&me);
	assert_false(hd_rt_spinning_proved());
	hd_rt.nrunnable = 0;
}

static HD_NOINLINE void wait_until_late(void)
{
	volatile uint64_t until[2] = { 0, 0 }; /* a timespec, say */

	while (!me.spin.cycle && rounds < ROUNDS) {
		rounds++;
		until[0]++;
		hd_rt_keeps_time((const void *)until);
		look();
	}
}

static void time_that_is_kept_is_no_state_but_passes(void **state)
{
	const uint64_t began = hd_rt.now;

	hd_rt.opt.any_time = true;
	wait_until_late();
	assert_true(me.spin.cycle);
	assert_int_equal(me.spin.jumps, 2);
	assert_true(hd_rt.now - began >= 30 * 86400 * UINT64_C(1000000000));
}

static void the_stack_of_another_counts_for_who_has_read_it(void **state)
{
	hd_rt.opt.any_time = true;
	wait_in_vain();
	assert_true(hd_rt_is_spinning(&me));
	other.spin.own_stack++;
	assert_true(hd_rt_is_spinning(&me));
	setup(state);
	hd_rt.opt.any_time = true;
	hd_rt_spin_reads((uintptr_t)others_stack + 8);
	assert_int_equal(me.spin.looks_at, 4); /* bit of thread 2 */
	wait_in_vain();
	assert_true(hd_rt_is_spinning(&me));
	other.spin.own_stack++;
	assert_false(hd_rt_is_spinning(&me));
}

static void a_lock_given_back_counts_for_who_tried_one(void **state)
{
	hd_rt.opt.any_time = true;
	wait_in_vain();
	hd_rt.lock_progress++;
	assert_true(hd_rt_is_spinning(&me));
	me.spin.tried = true;
	assert_false(hd_rt_is_spinning(&me));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(a_loop_without_effect_is_spinning, setup),
		cmocka_unit_test_setup(a_loop_that_counts_is_none, setup),
		cmocka_unit_test_setup(a_loop_while_others_work_is_none, setup),
		cmocka_unit_test_setup(an_explorer_knows_at_the_second_round, setup),
		cmocka_unit_test_setup(who_takes_locks_is_left_alone_without_them, setup),
		cmocka_unit_test_setup(time_that_is_kept_is_no_state_but_passes, setup),
		cmocka_unit_test_setup(the_stack_of_another_counts_for_who_has_read_it, setup),
		cmocka_unit_test_setup(a_lock_given_back_counts_for_who_tried_one, setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
