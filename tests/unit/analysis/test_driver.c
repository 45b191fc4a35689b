/*
 * The driver of analyses: who is fed, in which pieces, and what is left out.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/driver.h"

enum { MUTEX = 0x1000, COND = 0x2000, FLAG = 0x3000, PC = 0x400 };

struct result {
	unsigned races, locksets, task_races;
	unsigned notes, lost;
};

static void count_found(void *arg, const struct hd_found *f)
{
	struct result *r = arg;

	r->races += f->kind == HD_KIND_RACE;
	r->locksets += f->kind == HD_KIND_LOCKSET;
	r->task_races += f->kind == HD_KIND_TASK_RACE;
}

static void count_note(void *arg, const struct hd_analysis_note *note)
{
	struct result *r = arg;

	r->notes += note->text != NULL;
	r->lost += note->text == NULL;
}

/* Analyse @events in batches of @batch; @only: HD_DO_COUNT for all. */
static struct result analyse(const struct hd_event *events, size_t n, size_t batch, unsigned only)
{
	struct result r = { 0 };
	struct hd_analysis_setup setup = { .found = count_found, .found_arg = &r };
	struct hd_driver *d;

	for (unsigned i = 0; i < HD_DO_COUNT; i++)
		setup.wanted[i] = only == HD_DO_COUNT || only == i;
	assert_int_equal(hd_driver_new(&d, &setup, NULL, NULL), HD_OK);
	for (size_t i = 0; i < n; i += batch)
		assert_int_equal(hd_driver_learn(d, events + i, n - i < batch ? n - i : batch),
				 HD_OK);
	assert_int_equal(hd_driver_begin(d), HD_OK);
	for (size_t i = 0; i < n; i += batch)
		assert_int_equal(hd_driver_feed(d, events + i, n - i < batch ? n - i : batch, i),
				 HD_OK);
	assert_int_equal(hd_driver_finish(d), HD_OK);
	hd_driver_notes(d, count_note, &r);
	assert_int_equal(hd_driver_stats(d)->events, n);
	for (unsigned i = 0; i < HD_DO_COUNT; i++)
		assert_true(setup.wanted[i] || hd_driver_stats(d)->seconds[i] == 0);
	hd_driver_free(d);
	return r;
}

#define EVENT(t, o, a, v)                                                                          \
	{                                                                                          \
		.thread = t, .op = HD_OP_##o, .addr = a, .value = v, .size = 4,                    \
		.pc = PC + __LINE__                                                                \
	}

/* A race on FLAG, and a wait whose waker sets nothing under the mutex. */
static const struct hd_event threads[] = {
	EVENT(1, FORK, 0, 2),	     EVENT(1, ACQUIRE, MUTEX, 0), EVENT(1, READ, FLAG, 0),
	EVENT(1, WAIT, COND, MUTEX), EVENT(1, RELEASE, MUTEX, 0), EVENT(2, WRITE, FLAG, 1),
	EVENT(2, NOTIFY, COND, 1),   EVENT(1, ACQUIRE, MUTEX, 0), EVENT(1, WAKE, COND, 2),
	EVENT(1, RELEASE, MUTEX, 0),
};
#define THREADS (sizeof(threads) / sizeof(threads[0]))

static void batches_do_not_matter(void **state)
{
	for (size_t batch = 1; batch <= THREADS; batch++) {
		struct result r = analyse(threads, THREADS, batch, HD_DO_COUNT);

		assert_int_equal(r.races, 1);
		assert_int_equal(r.lost, 1);
		assert_int_equal(r.notes, 0);
	}
}

static void only_who_is_wanted_is_asked(void **state)
{
	struct result race = analyse(threads, THREADS, THREADS, HD_DO_RACE);
	struct result wakeups = analyse(threads, THREADS, THREADS, HD_DO_WAKEUPS);

	assert_int_equal(race.races, 1);
	assert_int_equal(race.lost, 0);
	assert_int_equal(wakeups.races, 0);
	assert_int_equal(wakeups.lost, 1);
}

/* Two threads of which locks kept the order, with and without a finish that makes it a program of tasks. */
static void tasks_know_better_than_locksets(void **state)
{
	struct hd_event events[] = {
		EVENT(1, FINISH_BEGIN, 0, 1), EVENT(1, FORK, 0, 2),
		EVENT(1, WRITE, FLAG, 1),     EVENT(1, ACQUIRE, MUTEX, 0),
		EVENT(1, RELEASE, MUTEX, 0),  EVENT(2, ACQUIRE, MUTEX, 0),
		EVENT(2, RELEASE, MUTEX, 0),  EVENT(2, WRITE, FLAG, 1),
	};
	const size_t n = sizeof(events) / sizeof(events[0]);

	assert_int_equal(analyse(events + 1, n - 1, n, HD_DO_COUNT).locksets, 1);
	assert_int_equal(analyse(events, n, n, HD_DO_COUNT).locksets, 0);
	assert_int_equal(analyse(events, n, n, HD_DO_RACE).locksets, 1);
}

static void huge_threads_are_refused(void **state)
{
	const struct hd_event ev = EVENT(HD_THREADS_MAX + 1, READ, FLAG, 0);
	const struct hd_event fork = EVENT(1, FORK, 0, HD_THREADS_MAX + 1);
	const struct hd_analysis_setup setup = { 0 };
	struct hd_driver *d;

	assert_int_equal(hd_driver_new(&d, &setup, NULL, NULL), HD_OK);
	assert_int_equal(hd_driver_learn(d, &ev, 1), HD_ERR_LIMIT);
	assert_int_equal(hd_driver_learn(d, &fork, 1), HD_ERR_LIMIT);
	hd_driver_free(d);
}

static struct hd_driver *grouped;
static unsigned allocations;

static void note_allocation(void *arg, const struct hd_event *alloc)
{
	allocations++;
	assert_int_equal(alloc->op, HD_OP_ALLOC);
	/* Everybody has seen it by now, and nothing after it. */
	assert_int_equal(hd_driver_stats(grouped)->events, alloc->addr);
	assert_int_equal(hd_driver_add_group(grouped, alloc->addr, 8, 1), HD_OK);
}

static void groups_grow_at_allocations(void **state)
{
	const struct hd_event events[] = {
		EVENT(1, READ, FLAG, 0),
		EVENT(1, ALLOC, 2, 8),
		EVENT(1, ALLOC, 3, 8),
		EVENT(1, READ, FLAG, 0),
	};
	const struct hd_analysis_setup setup = { .groups = true,
						 .wanted = { [HD_DO_PATTERNS] = true } };

	allocations = 0;
	assert_int_equal(hd_driver_new(&grouped, &setup, note_allocation, NULL), HD_OK);
	assert_int_equal(hd_driver_learn(grouped, events, 4), HD_OK);
	assert_int_equal(hd_driver_begin(grouped), HD_OK);
	assert_true(hd_driver_takes_groups(grouped));
	assert_int_equal(hd_driver_feed(grouped, events, 4, 0), HD_OK);
	assert_int_equal(allocations, 2);
	assert_int_equal(hd_driver_stats(grouped)->events, 4);
	hd_driver_free(grouped);
}

static void every_word_is_another(void **state)
{
	for (int i = 0; i < HD_DO_COUNT; i++) {
		for (int k = 0; k < i; k++)
			assert_string_not_equal(hd_analysis_word(i), hd_analysis_word(k));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(batches_do_not_matter),
		cmocka_unit_test(only_who_is_wanted_is_asked),
		cmocka_unit_test(tasks_know_better_than_locksets),
		cmocka_unit_test(huge_threads_are_refused),
		cmocka_unit_test(groups_grow_at_allocations),
		cmocka_unit_test(every_word_is_another),
	};

	return cmocka_run_group_tests_name("driver", tests, NULL, NULL);
}
