/*
 * The cheapest set that hits all lists, against all subsets.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "common/rng.h"
#include "explore/hitting_set.h"

#define ITEMS 8u

/* What the cheapest subset costs; UINT32_MAX: none hits all. */
static unsigned by_trying_all(const unsigned *lists, unsigned n, const unsigned *cost)
{
	unsigned best = UINT32_MAX;

	for (unsigned set = 0; set < 1u << ITEMS; set++) {
		unsigned total = 0, hit = 0;
		bool may = true;

		for (unsigned i = 0; i < ITEMS; i++) {
			total += set >> i & 1 ? cost[i] : 0;
			may &= cost[i] || !(set >> i & 1);
		}
		for (unsigned k = 0; k < n; k++)
			hit += (lists[k] & set) != 0;
		if (may && hit == n && total < best)
			best = total;
	}
	return best;
}

static void one_random(uint64_t *seed)
{
	struct hd_hitting h = { 0 };
	unsigned lists[6], cost[ITEMS], n = (unsigned)(hd_splitmix64(seed) % 7), total = 0, best;
	bool chosen[ITEMS];

	for (unsigned i = 0; i < ITEMS; i++)
		cost[i] = (unsigned)(hd_splitmix64(seed) % 4);
	for (unsigned k = 0; k < n && k < 6; k++) {
		unsigned *items = calloc(ITEMS, sizeof(*items)), m = 0;

		lists[k] = (unsigned)(hd_splitmix64(seed) & hd_splitmix64(seed) & 0xff);
		for (unsigned i = 0; i < ITEMS; i++) {
			if (lists[k] >> i & 1)
				items[m++] = i;
		}
		assert_true(hd_hitting_add(&h, items, m));
	}
	n = n < 6 ? n : 6;
	best = by_trying_all(lists, n, cost);
	assert_int_equal(hd_hitting_cheapest(&h, cost, ITEMS, UINT32_MAX, chosen),
			 best != UINT32_MAX);
	for (unsigned i = 0; i < ITEMS && best != UINT32_MAX; i++)
		total += chosen[i] ? cost[i] : 0;
	if (best != UINT32_MAX) {
		assert_int_equal(total, best);
		assert_false(hd_hitting_cheapest(&h, cost, ITEMS, best, chosen));
	}
	hd_hitting_free(&h);
}

static void it_is_the_cheapest(void **state)
{
	uint64_t seed = 19;

	for (unsigned i = 0; i < 5000; i++)
		one_random(&seed);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(it_is_the_cheapest) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
