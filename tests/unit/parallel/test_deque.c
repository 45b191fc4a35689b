/*
 * The deque of a worker: whatever is put is taken or stolen exactly once, while it grows and shrinks.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "parallel/deque.h"

#define ITEMS	300000
#define THIEVES 3

static struct hd_deque deque;
static unsigned char seen[ITEMS + 1];
static bool over;

static void *thief(void *arg)
{
	size_t *got = arg;

	while (!__atomic_load_n(&over, __ATOMIC_ACQUIRE) || !hd_deque_empty(&deque)) {
		uintptr_t item = (uintptr_t)hd_deque_steal(&deque);

		if (item) {
			__atomic_fetch_add(&seen[item], 1, __ATOMIC_RELAXED);
			++*got;
		}
	}
	return NULL;
}

/* Puts in bursts up to a few thousand, so that it grows; takes some back now and then. */
static size_t own(void)
{
	unsigned random = 1;
	size_t took = 0;

	for (uintptr_t next = 1; next <= ITEMS;) {
		random = random * 1103515245 + 12345;
		for (unsigned n = random >> 16 & 0xfff; n && next <= ITEMS; n--)
			assert_true(hd_deque_put(&deque, (void *)next++));
		random = random * 1103515245 + 12345;
		for (unsigned n = random >> 16 & 0x1fff; n; n--) {
			uintptr_t item = (uintptr_t)hd_deque_take(&deque);

			if (!item)
				break;
			__atomic_fetch_add(&seen[item], 1, __ATOMIC_RELAXED);
			took++;
		}
	}
	return took;
}

static void test_each_once(void **state)
{
	pthread_t threads[THIEVES];
	size_t got[THIEVES] = { 0 }, all;

	(void)state;
	assert_true(hd_deque_init(&deque));
	for (int i = 0; i < THIEVES; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, thief, &got[i]), 0);
	all = own();
	__atomic_store_n(&over, true, __ATOMIC_RELEASE);
	for (int i = 0; i < THIEVES; i++) {
		pthread_join(threads[i], NULL);
		all += got[i];
	}
	assert_int_equal(all, ITEMS);
	for (size_t i = 1; i <= ITEMS; i++)
		assert_int_equal(seen[i], 1);
}

static void test_order(void **state)
{
	struct hd_deque d;

	(void)state;
	assert_true(hd_deque_init(&d));
	assert_null(hd_deque_take(&d));
	assert_null(hd_deque_steal(&d));
	for (uintptr_t i = 1; i <= 1000; i++)
		assert_true(hd_deque_put(&d, (void *)i));
	assert_ptr_equal(hd_deque_take(&d), (void *)1000);
	assert_ptr_equal(hd_deque_steal(&d), (void *)1);
	assert_ptr_equal(hd_deque_steal(&d), (void *)2);
	assert_ptr_equal(hd_deque_take(&d), (void *)999);
	for (uintptr_t i = 998; i >= 3; i--)
		assert_ptr_equal(hd_deque_take(&d), (void *)i);
	assert_null(hd_deque_take(&d));
	assert_true(hd_deque_empty(&d));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_each_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
