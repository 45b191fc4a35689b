/*
 * Tasks in processes: taken in order whatever ends first, dropped when not wanted, ended when
 * they take too long.
 */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "campaign/pool.h"
#include "common/interrupts.h"

struct job {
	size_t n;      /* tasks */
	size_t enough; /* take() says so at this task */
	size_t prepared, taken, dropped;
	int hangs;	  /* the task that never ends; -1: none */
	int dies;	  /* the task that kills itself */
	int pipes[64][2]; /* task i ends when i + 1 has, if there is one: the reverse order */
	bool reverse;
};

static bool prepare(void *arg, size_t i)
{
	struct job *j = arg;

	assert_int_equal(i, j->prepared);
	if (i == j->n)
		return false;
	j->prepared++;
	return true;
}

static int work(void *arg, size_t i)
{
	struct job *j = arg;
	char c;

	if ((int)i == j->hangs)
		for (;;)
			pause();
	if ((int)i == j->dies)
		raise(SIGKILL);
	if (j->reverse && i + 1 < j->n && read(j->pipes[i + 1][0], &c, 1) != 1)
		return 99;
	if (j->reverse && write(j->pipes[i][1], "x", 1) != 1)
		return 98;
	return (int)i;
}

static bool take(void *arg, size_t i, const struct hd_task_end *end)
{
	struct job *j = arg;

	assert_int_equal(i, j->taken);
	j->taken++;
	assert_int_equal(end->timed_out, (int)i == j->hangs);
	assert_int_equal(end->status, (int)i == j->hangs || (int)i == j->dies ? -1 : (int)i);
	return i != j->enough;
}

static void drop(void *arg, size_t i)
{
	struct job *j = arg;

	j->dropped++;
	assert_true(i >= j->taken);
}

static const struct hd_pool_ops ops = {
	.prepare = prepare, .work = work, .take = take, .drop = drop
};

static void no_children_are_left(void)
{
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
}

/* With as many processes as tasks, the last ends first. */
static void test_order(void **state)
{
	struct job j = { .n = 8, .enough = SIZE_MAX, .hangs = -1, .dies = -1, .reverse = true };
	struct hd_pool p = { .jobs = 8 };

	for (size_t i = 0; i < j.n; i++)
		assert_int_equal(pipe(j.pipes[i]), 0);
	assert_int_equal(hd_pool_run(&p, &ops, &j), HD_POOL_DONE);
	assert_int_equal(j.taken, 8);
	assert_int_equal(j.dropped, 0);
	no_children_are_left();
}

static void test_enough(void **state)
{
	for (unsigned jobs = 1; jobs < 8; jobs++) {
		struct job j = { .n = 20, .enough = 5, .hangs = 9, .dies = -1 };
		struct hd_pool p = { .jobs = jobs };

		/* What was started in vain, even what would never end, is gone. */
		assert_int_equal(hd_pool_run(&p, &ops, &j), HD_POOL_ENOUGH);
		assert_int_equal(j.taken, 6);
		assert_int_equal(j.prepared, j.taken + j.dropped);
		assert_true(j.dropped < jobs);
		no_children_are_left();
	}
}

static void test_too_long(void **state)
{
	struct job j = { .n = 6, .enough = SIZE_MAX, .hangs = 2, .dies = 4 };
	struct hd_pool p = { .jobs = 3, .limit = 0.2 };

	assert_int_equal(hd_pool_run(&p, &ops, &j), HD_POOL_DONE);
	assert_int_equal(j.taken, 6);
	no_children_are_left();
}

static void test_until(void **state)
{
	struct job j = { .n = 6, .enough = SIZE_MAX, .hangs = 0, .dies = -1 };
	struct hd_pool p = { .jobs = 3, .until = hd_now() + 0.1 };

	assert_int_equal(hd_pool_run(&p, &ops, &j), HD_POOL_TIME);
	assert_int_equal(j.taken, 0);
	assert_int_equal(j.prepared, j.dropped);
	no_children_are_left();
}

static void raise_interrupt(void *arg)
{
	raise(SIGINT);
}

static void test_interrupted(void **state)
{
	const struct hd_pool_ops interrupting = { .prepare = prepare,
						  .work = work,
						  .take = take,
						  .drop = drop,
						  .idle = raise_interrupt };
	struct job j = { .n = 6, .enough = SIZE_MAX, .hangs = 0, .dies = -1 };
	struct hd_pool p = { .jobs = 2 };

	signal(SIGINT, SIG_DFL); /* ignored, if the tests run in the background of a script */
	hd_interrupts_take();
	assert_false(hd_interrupted());
	assert_int_equal(hd_pool_run(&p, &interrupting, &j), HD_POOL_INTERRUPTED);
	hd_interrupts_give_back();
	assert_true(hd_interrupted());
	no_children_are_left();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_order),	    cmocka_unit_test(test_enough),
		cmocka_unit_test(test_too_long),    cmocka_unit_test(test_until),
		cmocka_unit_test(test_interrupted), /* the last: interrupts are remembered */
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
