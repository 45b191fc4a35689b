/*
 * One hand-over an iteration: neither the load nor the store may leave the loop.
 */
#include "handover.h"

_Atomic int flag; /* seen by other units, so that no operation on it can be left out */
static int box;
static int sum;

static void count(void)
{
	box++;
}

static void add_up(void)
{
	sum += box;
}

static NOINLINE void meet(void)
{
	atomic_fetch_add(&flag, 1);
}

static NOINLINE int load_in_loop(int rounds)
{
	int total = 0;

	for (int i = 0; i < rounds; i++) {
		meet();
		total += box;
	}
	return total;
}

static NOINLINE void store_in_loop(int rounds)
{
	for (int i = 1; i <= rounds; i++) {
		box = i;
		meet();
	}
}

static NOINLINE int wait_in_loop(int until)
{
	int rounds = 0;

	while (box < until) {
		meet();
		rounds++;
	}
	return rounds;
}

int main(void)
{
	stub_other_thread(count);
	CHECK(load_in_loop(4) == 1 + 2 + 3 + 4);
	box = 0;
	CHECK(wait_in_loop(5) == 5);
	stub_other_thread(add_up);
	store_in_loop(4);
	CHECK(sum == 1 + 2 + 3 + 4);
	return failures != 0;
}
