/*
 * The locks that a fiber holds: against a list that is searched and closed up every time.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "common/rng.h"
#include "fake_runtime.h"
#include "runtime/thread/thread.h"

#define LOCKS 200

struct model {
	struct hd_held held[LOCKS];
	uint32_t n;
};

static uint32_t find(const struct model *m, uintptr_t addr)
{
	uint32_t i = 0;

	while (i < m->n && m->held[i].addr != addr)
		i++;
	return i;
}

static void model_add(struct model *m, uintptr_t addr, uint16_t mode)
{
	uint32_t i = find(m, addr);

	if (i < m->n)
		m->held[i].depth++;
	else
		m->held[m->n++] = (struct hd_held){ .addr = addr, .mode = mode, .depth = 1 };
}

static bool model_remove(struct model *m, uintptr_t addr)
{
	uint32_t i = find(m, addr);

	if (i == m->n)
		return false;
	if (--m->held[i].depth == 0)
		memmove(&m->held[i], &m->held[i + 1], (--m->n - i) * sizeof(m->held[0]));
	return true;
}

static void same(const struct model *m)
{
	struct hd_held *h = NULL;

	assert_int_equal(hd_rt.cur->locks.n, m->n);
	for (uint32_t i = 0; i < m->n; i++) {
		h = hd_rt_held_next(hd_rt.cur, h);
		assert_non_null(h);
		assert_int_equal(h->addr, m->held[i].addr);
		assert_int_equal(h->depth, m->held[i].depth);
		assert_int_equal(h->mode, m->held[i].mode);
	}
	assert_null(hd_rt_held_next(hd_rt.cur, h));
	for (uintptr_t addr = 16; addr <= 16 * LOCKS; addr += 16)
		assert_int_equal(hd_rt_held_find(hd_rt.cur, addr) != NULL, find(m, addr) < m->n);
}

/* Now many, now few are held; given back in any order, by turns in that of taking and the reverse. */
static void test_random(void **state)
{
	struct hd_rng rng;
	struct model m = { .n = 0 };

	hd_rng_seed(&rng, 24);
	for (unsigned step = 0; step < 20000; step++) {
		unsigned phase = step / 500 % 5;
		uintptr_t addr = 16 * (1 + hd_rng_below(&rng, phase == 0 ? 10 : LOCKS));

		if (hd_rng_below(&rng, 8) < (phase < 3 ? 5u : 2u)) {
			hd_rt_held_add(addr, (uint16_t)(addr / 16 % 3));
			model_add(&m, addr, (uint16_t)(addr / 16 % 3));
		} else {
			if (m.n && phase % 3)
				addr = m.held[phase % 3 == 1 ? 0 : m.n - 1].addr;
			assert_int_equal(hd_rt_held_remove(addr), model_remove(&m, addr));
		}
		if (step % 7 == 0)
			same(&m);
	}
	while (m.n) {
		uintptr_t addr = m.held[0].addr;

		assert_true(hd_rt_held_remove(addr));
		model_remove(&m, addr);
		same(&m);
	}
	hd_rt_held_forget(hd_rt.cur);
}

/* However many are held, the places stay within twice as many. */
static void test_holes_are_closed(void **state)
{
	fake_fiber(hd_rt.cur, 1);
	for (uintptr_t i = 1; i <= 100000; i++) {
		hd_rt_held_add(16 * i, 0);
		if (i > 50)
			assert_true(hd_rt_held_remove(16 * (i - 50)));
		assert_true(hd_rt.cur->locks.used <= 2 * hd_rt.cur->locks.n + 1);
	}
	hd_rt_held_forget(hd_rt.cur);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_holes_are_closed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
