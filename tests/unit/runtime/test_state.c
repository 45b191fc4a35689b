/*
 * The digest of a program's state: equal for equal states, whatever led to them, and different for
 * different ones. Each digest is that of a copy of this process, where nothing has happened yet.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fake_runtime.h"
#include "runtime/explore/state.h"

static struct fiber one, two;
static uint64_t memory[8], stack_of_two[64];

static uint64_t digest_after(void (*run)(void))
{
	uint64_t digest = 0;
	int fds[2], status;
	pid_t pid;

	assert_int_equal(pipe(fds), 0);
	pid = fork();
	if (pid == 0) {
		run();
		digest = hd_rt_state();
		_exit(write(fds[1], &digest, sizeof(digest)) != sizeof(digest));
	}
	assert_true(pid > 0);
	assert_int_equal(read(fds[0], &digest, sizeof(digest)), sizeof(digest));
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	close(fds[0]);
	close(fds[1]);
	assert_int_not_equal(digest, 0);
	return digest;
}

static void assert_same(void (*a)(void), void (*b)(void))
{
	assert_int_equal(digest_after(a), digest_after(b));
}

static void assert_other(void (*a)(void), void (*b)(void))
{
	assert_int_not_equal(digest_after(a), digest_after(b));
}

static void stores(struct fiber *f, unsigned i, uint64_t value)
{
	hd_rt.cur = f;
	hd_rt_state_access((uintptr_t)&memory[i], 8, true); /* before the write, as a hook is */
	memory[i] = value;
}

static void loads(struct fiber *f, unsigned i)
{
	hd_rt.cur = f;
	hd_rt_state_access((uintptr_t)&memory[i], 8, false);
}

static void nothing(void)
{
}

static void one_then_two(void)
{
	stores(&one, 0, 1);
	stores(&two, 1, 2);
}

static void two_then_one(void)
{
	stores(&two, 1, 2);
	stores(&one, 0, 1);
}

static void one_then_two_other_value(void)
{
	stores(&one, 0, 1);
	stores(&two, 1, 3);
}

static void values_swapped(void)
{
	stores(&one, 0, 2);
	stores(&two, 1, 1);
}

static void independent_writes_commute(void **state)
{
	assert_same(one_then_two, two_then_one);
	assert_other(one_then_two, nothing);
	assert_other(one_then_two, one_then_two_other_value);
	assert_other(one_then_two, values_swapped);
}

static void reads_before(void)
{
	loads(&one, 0);
	stores(&two, 0, 5);
}

static void reads_after(void)
{
	stores(&two, 0, 5);
	loads(&one, 0);
}

static void reads_the_same_anyway(void)
{
	memory[0] = 5;
	loads(&one, 0);
	stores(&two, 0, 5);
}

static void what_a_thread_has_read_counts(void **state)
{
	assert_other(reads_before, reads_after);
	assert_same(reads_the_same_anyway, reads_after);
}

static void narrow_store_a(void)
{
	memory[3] = 0x1111111111111111;
	hd_rt.cur = &one;
	hd_rt_state_access((uintptr_t)&memory[3] + 2, 2, true);
	((volatile uint16_t *)&memory[3])[1] = 7;
}

static void narrow_store_b(void)
{
	memory[3] = 0x2222222222222222;
	hd_rt.cur = &one;
	hd_rt_state_access((uintptr_t)&memory[3] + 2, 2, true);
	((volatile uint16_t *)&memory[3])[1] = 7;
}

static void narrow_store_c(void)
{
	narrow_store_a();
	hd_rt_state_settle();
	((volatile uint16_t *)&memory[3])[1] = 8; /* behind everybody's back */
}

static void bytes_beside_a_variable_do_not_count(void **state)
{
	assert_same(narrow_store_a, narrow_store_b);
	assert_same(narrow_store_a, narrow_store_c);
}

static void freed_with(uint64_t value)
{
	stores(&one, 4, value);
	hd_rt_state_event(HD_OP_FREE, (uintptr_t)&memory[4], 8, 0, 0);
}

static void freed_3(void)
{
	freed_with(3);
}

static void freed_4(void)
{
	freed_with(4);
}

static void not_freed(void)
{
	stores(&one, 4, 3);
}

static void freed_memory_is_forgotten(void **state)
{
	assert_same(freed_3, freed_4);
	assert_other(freed_3, not_freed);
}

static void ends_with(uint64_t value)
{
	hd_rt.cur = &two;
	hd_rt_state_access((uintptr_t)&stack_of_two[1], 8, true);
	stack_of_two[1] = value;
	hd_rt_state_event(HD_OP_THREAD_END, 0, 0, 0, 0);
	two.state = HD_F_DONE;
	hd_rt.cur = &one;
}

static void ends_with_1(void)
{
	ends_with(1);
}

static void ends_with_2(void)
{
	ends_with(2);
}

static void lives_with(uint64_t value)
{
	hd_rt.cur = &two;
	hd_rt_state_access((uintptr_t)&stack_of_two[1], 8, true);
	stack_of_two[1] = value;
}

static void lives_with_1(void)
{
	lives_with(1);
}

static void lives_with_2(void)
{
	lives_with(2);
}

static void the_stack_of_a_thread_ends_with_it(void **state)
{
	assert_same(ends_with_1, ends_with_2);
	assert_other(lives_with_1, lives_with_2);
	assert_other(lives_with_1, ends_with_1);
}

static void blocks_at(uintptr_t addr)
{
	two.state = HD_F_BLOCKED;
	two.wait.why = HD_TS_MUTEX;
	two.wait.addr = addr;
}

static void blocks_at_a(void)
{
	blocks_at(0x1000);
}

static void blocks_at_b(void)
{
	blocks_at(0x2000);
}

static void what_a_thread_waits_for_counts(void **state)
{
	assert_other(nothing, blocks_at_a);
	assert_other(blocks_at_a, blocks_at_b);
	assert_same(blocks_at_a, blocks_at_a);
}

static void later(void)
{
	hd_rt.now = 1000;
}

static void later_and_nobody_knows(void)
{
	hd_rt.opt.any_time = true;
	hd_rt.now = 1000;
}

static void any_time(void)
{
	hd_rt.opt.any_time = true;
}

static void later_and_somebody_looked(void)
{
	hd_rt.opt.any_time = hd_rt.clock_seen = true;
	hd_rt.now = 1000;
}

static void time_counts_for_who_can_see_it(void **state)
{
	assert_other(nothing, later);
	assert_same(any_time, later_and_nobody_knows);
	assert_other(any_time, later_and_somebody_looked);
}

static void kept_to_and_fro(void)
{
	hd_rt_state_change(0x500, 0, 9);
	hd_rt_state_change(0x500, 9, 4);
}

static void kept_directly(void)
{
	hd_rt_state_change(0x500, 0, 4);
}

static void kept_elsewhere(void)
{
	hd_rt_state_change(0x508, 0, 4);
}

static void what_is_kept_outside_of_memory_counts(void **state)
{
	assert_same(kept_to_and_fro, kept_directly);
	assert_other(kept_directly, kept_elsewhere);
}

static void at_a_point(void)
{
	hd_rt.cur = &one;
	hd_rt_state_point();
}

static void choice(void)
{
	hd_rt.cur = &one;
	hd_rt_state_event(HD_OP_CHOICE, 0, 2, 0, 0);
}

static void decisions_are_no_state_but_places_are(void **state)
{
	assert_same(nothing, choice);
	assert_other(nothing, at_a_point);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(independent_writes_commute),
		cmocka_unit_test(what_a_thread_has_read_counts),
		cmocka_unit_test(bytes_beside_a_variable_do_not_count),
		cmocka_unit_test(freed_memory_is_forgotten),
		cmocka_unit_test(the_stack_of_a_thread_ends_with_it),
		cmocka_unit_test(what_a_thread_waits_for_counts),
		cmocka_unit_test(time_counts_for_who_can_see_it),
		cmocka_unit_test(what_is_kept_outside_of_memory_counts),
		cmocka_unit_test(decisions_are_no_state_but_places_are),
	};

	fake_fiber(&one, 1);
	fake_fiber(&two, 2);
	two.stack.low = (uintptr_t)stack_of_two;
	two.stack.top = (uintptr_t)(stack_of_two + 64);
	one.next = &two;
	hd_rt.all = &one;
	hd_rt.cur = &one;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
