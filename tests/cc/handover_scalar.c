/*
 * A static int is written, handed over, and read back. A compiler that takes the
 * acquire for harmless returns the value stored (or read) before it.
 */
#include "handover.h"

_Atomic int flag; /* seen by other units, so that no operation on it can be left out */
static int box;

static void other(void)
{
	box = 7;
}

static NOINLINE void await(void)
{
	(void)atomic_load_explicit(&flag, memory_order_acquire);
}

static NOINLINE int store_then_load(void)
{
	box = 1;
	await();
	return box;
}

static NOINLINE int load_then_load(void)
{
	int before = box;

	await();
	return box - before;
}

static NOINLINE int direct(void)
{
	box = 1;
	(void)atomic_load_explicit(&flag, memory_order_acquire);
	return box;
}

int main(void)
{
	stub_other_thread(other);
	CHECK(store_then_load() == 7);
	box = 3;
	CHECK(load_then_load() == 4);
	CHECK(direct() == 7);
	return failures != 0;
}
