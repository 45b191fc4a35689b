/*
 * The runtime's own memory: blocks are zero, apart from each other, and used again.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>

#include "common/rng.h"
#include "runtime/memory/arena.h"

static bool is_all(const unsigned char *p, int byte, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (p[i] != byte)
			return false;
	}
	return true;
}

static void blocks_are_zero_and_aligned(void **state)
{
	static const size_t sizes[] = { 1, 15, 16, 17, 100, 4096, 262144, 262145, 3000000 };

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		unsigned char *p = hd_rt_alloc(sizes[i]);

		assert_int_equal((uintptr_t)p % 16, 0);
		assert_true(is_all(p, 0, sizes[i]));
		memset(p, 0xaa, sizes[i]);
		hd_rt_free(p, sizes[i]);
		p = hd_rt_alloc(sizes[i]);
		assert_true(is_all(p, 0, sizes[i]));
		hd_rt_free(p, sizes[i]);
	}
}

static void a_freed_block_is_the_next_of_its_size(void **state)
{
	unsigned char *p = hd_rt_alloc(200), *q;

	memset(p, 0x55, 200);
	hd_rt_free(p, 200);
	q = hd_rt_alloc_used(250); /* the same power of two */
	assert_ptr_equal(p, q);
	assert_true(is_all(q + 16, 0x55, 184)); /* nobody has cleared it */
	assert_ptr_not_equal(hd_rt_alloc(200), q);
	hd_rt_free(NULL, 200);
}

static void large_blocks_go_back_to_the_system(void **state)
{
	char *p = hd_rt_alloc(1 << 21);

	assert_int_equal(msync(p, 4096, MS_ASYNC), 0);
	hd_rt_free(p, 1 << 21);
	assert_int_equal(msync(p, 4096, MS_ASYNC), -1);
	assert_int_equal(errno, ENOMEM);
}

static void growing_keeps_contents(void **state)
{
	unsigned char *p = hd_rt_alloc(48);

	memset(p, 7, 48);
	p = hd_rt_grow(p, 48, 100000);
	assert_true(is_all(p, 7, 48));
	assert_true(is_all(p + 48, 0, 100000 - 48));
	assert_non_null(hd_rt_grow(NULL, 0, 16));
}

static void reserved_space_is_memory_when_touched(void **state)
{
	char *p = hd_rt_reserve((size_t)1 << 40);

	assert_non_null(p);
	p[(size_t)1 << 39] = 1;
	assert_int_equal(p[((size_t)1 << 39) + 1], 0);
	munmap(p, (size_t)1 << 40);
}

/* Each block is filled with a number of its own, which must be there when it is given back. */
static void blocks_do_not_overlap(void **state)
{
	static struct {
		unsigned char *p;
		size_t size;
		unsigned char fill;
	} held[200];
	struct hd_rng rng;

	hd_rng_seed(&rng, 1);
	for (int i = 0; i < 20000; i++) {
		unsigned k = (unsigned)hd_rng_below(&rng, 200);

		if (held[k].p) {
			assert_true(is_all(held[k].p, held[k].fill, held[k].size));
			hd_rt_free(held[k].p, held[k].size);
		}
		held[k].size = 1 + hd_rng_below(&rng, hd_rng_below(&rng, 50) ? 300 : 300000);
		held[k].fill = (unsigned char)i;
		held[k].p = hd_rt_alloc(held[k].size);
		memset(held[k].p, held[k].fill, held[k].size);
	}
}

static void text_without_libc(void **state)
{
	char buf[8];

	assert_int_equal(hd_rt_strlen(""), 0);
	assert_int_equal(hd_rt_strlen("four"), 4);
	assert_int_equal(hd_rt_strcmp("same", "same"), 0);
	assert_true(hd_rt_strcmp("a", "b") < 0);
	assert_true(hd_rt_strcmp("ab", "a") > 0);
	assert_true(hd_rt_strcmp("\x80", "a") > 0);
	assert_int_equal(hd_rt_print(buf, sizeof(buf), "%s %d", "number", 17), 9);
	assert_string_equal(buf, "number ");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(blocks_are_zero_and_aligned),
		cmocka_unit_test(a_freed_block_is_the_next_of_its_size),
		cmocka_unit_test(large_blocks_go_back_to_the_system),
		cmocka_unit_test(growing_keeps_contents),
		cmocka_unit_test(reserved_space_is_memory_when_touched),
		cmocka_unit_test(blocks_do_not_overlap),
		cmocka_unit_test(text_without_libc),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
