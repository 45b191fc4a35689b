/*
 * The first of two stores is read by the other thread in between, so it is not
 * dead although this thread never reads it.
 */
#include "handover.h"

_Atomic int flag; /* seen by other units, so that no operation on it can be left out */
static int box;
static int seen;

static void other(void)
{
	seen = box;
}

static NOINLINE void release(void)
{
	atomic_store_explicit(&flag, 1, memory_order_release);
}

static NOINLINE void store_twice(void)
{
	box = 1;
	release();
	box = 2;
}

static NOINLINE int store_on_one_path(int again)
{
	box = 3;
	release();
	if (again)
		box = 4;
	return seen;
}

int main(int argc, char **argv)
{
	(void)argv;
	stub_other_thread(other);
	store_twice();
	CHECK(seen == 1);
	CHECK(box == 2);
	CHECK(store_on_one_path(argc) == 3);
	CHECK(box == 4);
	return failures != 0;
}
