/*
 * A static pointer is swung by the other thread; both the pointer and what it
 * points at must be read after the hand-over.
 */
#include "handover.h"

_Atomic int flag; /* seen by other units, so that no operation on it can be left out */
static int first, second;
static int *box = &first;

static void other(void)
{
	second = 7;
	box = &second;
}

static NOINLINE void await(void)
{
	(void)atomic_load(&flag);
}

static NOINLINE int through_pointer(void)
{
	second = 1;
	first = 2;
	box = &first;
	await();
	return *box;
}

int main(void)
{
	stub_other_thread(other);
	CHECK(through_pointer() == 7);
	CHECK(first == 2);
	return failures != 0;
}
