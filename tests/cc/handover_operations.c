/*
 * The same hand-over through every kind of atomic operation, alone in a function
 * and under one more call, and with several statics at once.
 */
#include "handover.h"

_Atomic int flag; /* seen by other units, so that no operation on it can be left out */
static int box;
static short narrow;
static double real;

static void other(void)
{
	box = 7;
	narrow = 8;
	real = 9;
}

#define OPERATION(name, operation)                                                                 \
	static NOINLINE void name##_sync(void)                                                     \
	{                                                                                          \
		operation;                                                                         \
	}                                                                                          \
	static NOINLINE void name##_outer(void)                                                    \
	{                                                                                          \
		name##_sync();                                                                     \
	}                                                                                          \
	static NOINLINE void name(void)                                                            \
	{                                                                                          \
		box = 1;                                                                           \
		narrow = 2;                                                                        \
		real = 3;                                                                          \
		name##_sync();                                                                     \
		CHECK(box == 7 && narrow == 8 && real == 9);                                       \
		box = 4;                                                                           \
		name##_outer();                                                                    \
		CHECK(box == 7);                                                                   \
	}

static int expected;

OPERATION(load, (void)atomic_load(&flag))
OPERATION(spin, while (atomic_load(&flag) == -1) {})
OPERATION(store, atomic_store(&flag, 1))
OPERATION(exchange, atomic_exchange(&flag, 2))
OPERATION(add, atomic_fetch_add(&flag, 1))
OPERATION(swap, atomic_compare_exchange_strong(&flag, &expected, 5))
OPERATION(fence, atomic_thread_fence(memory_order_seq_cst))

int main(void)
{
	stub_other_thread(other);
	load();
	spin();
	store();
	exchange();
	add();
	swap();
	fence();
	return failures != 0;
}
