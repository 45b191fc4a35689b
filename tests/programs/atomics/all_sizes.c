/*
 * Every atomic operation at every size computes what it should.
 *
 * CC: -mcx16 -latomic
 * RUN: run --seed 1..3
 * EXPECT: clean
 */
#include "../program.h"

#define ORDER __ATOMIC_SEQ_CST

#define CHECK_SIZE(type)                                                                           \
	static void check_##type(void)                                                             \
	{                                                                                          \
		type top = (type)1 << (8 * sizeof(type) - 1), x = top + 5, expected, out;          \
                                                                                                   \
		assert(__atomic_load_n(&x, ORDER) == top + 5);                                     \
		__atomic_store_n(&x, top + 6, ORDER);                                              \
		assert(__atomic_exchange_n(&x, 12, ORDER) == top + 6 && x == 12);                  \
		assert(__atomic_fetch_add(&x, top, ORDER) == 12 && x == top + 12);                 \
		assert(__atomic_fetch_sub(&x, 2, ORDER) == top + 12 && x == top + 10);             \
		assert(__atomic_fetch_and(&x, top | 6, ORDER) == top + 10 && x == top + 2);        \
		assert(__atomic_fetch_or(&x, 4, ORDER) == top + 2 && x == top + 6);                \
		assert(__atomic_fetch_xor(&x, top | 3, ORDER) == top + 6 && x == 5);               \
		assert(__atomic_fetch_nand(&x, 4, ORDER) == 5 && x == (type)~(type)4);             \
		assert(__atomic_add_fetch(&x, 5, ORDER) == 0 && x == 0);                           \
		expected = 1;                                                                      \
		assert(!__atomic_compare_exchange_n(&x, &expected, 9, 0, ORDER, ORDER));           \
		assert(expected == 0 && x == 0);                                                   \
		assert(__atomic_compare_exchange_n(&x, &expected, top, 0, ORDER, ORDER));          \
		assert(x == top);                                                                  \
		out = 3;                                                                           \
		__atomic_exchange(&x, &out, &expected, ORDER);                                     \
		assert(expected == top && x == 3);                                                 \
		assert(__sync_val_compare_and_swap(&x, 3, 4) == 3 && x == 4);                      \
		assert(__sync_add_and_fetch(&x, 1) == 5);                                          \
	}

typedef unsigned __int128 uint128_t;

CHECK_SIZE(uint8_t)
CHECK_SIZE(uint16_t)
CHECK_SIZE(uint32_t)
CHECK_SIZE(uint64_t)
CHECK_SIZE(uint128_t)

static void *check_all(void *arg)
{
	check_uint8_t();
	check_uint16_t();
	check_uint32_t();
	check_uint64_t();
	check_uint128_t();
	__atomic_thread_fence(ORDER);
	__atomic_signal_fence(ORDER);
	return NULL;
}

int main(void)
{
	pthread_t t = start(check_all, NULL);

	check_all(NULL);
	finish(t);
	return 0;
}
