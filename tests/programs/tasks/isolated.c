/*
 * Isolated blocks exclude each other: all of them, or those with an object in common. A block in
 * another one that has its objects changes nothing. Ends by return, too.
 *
 * RUN: run --seed 1..20
 * EXPECT: clean
 * RUN: run --policy pct --seed 1..10
 * EXPECT: clean
 * RUN: run --policy rr
 * EXPECT: clean
 * RUN: run --switch-at accesses --seed 1..5
 * EXPECT: clean
 */
#include "../program.h"

#include <heddle/hj.h>

struct account {
	int balance, inside;
} accounts[3];

static int total, in_global;

static int add(int n)
{
	HJ_ISOLATED {
		in_global++;
		assert(in_global == 1 && !accounts[0].inside && !accounts[1].inside);
		total += n;
		HJ_ISOLATED_ON(&accounts[0], &total)
			total++;
		in_global--;
		if (n == 2)
			return total;
	}
	return -1;
}

static void transfer(void *arg)
{
	struct account *from = arg, *to = from == accounts ? from + 1 : from - 1;

	for (int i = 0; i < 3; i++) {
		HJ_ISOLATED_ON(from, to, from) {
			assert(!from->inside++ && !to->inside++ && !in_global);
			from->balance -= 10;
			to->balance += 10;
			from->inside--;
			to->inside--;
		}
	}
}

static void alone(void *arg)
{
	const void *object = &accounts[2];

	for (int i = 0; i < 3; i++) {
		hj_isolated_begin_on(&object, 1);
		accounts[2].balance++;
		hj_isolated_end();
	}
}

static void count_call(void *arg)
{
	total++;
}

static void adder(void *arg)
{
	add(1);
	assert(add(2) > 0);
	hj_isolated(count_call, NULL);
}

static void root(void *arg)
{
	HJ_FINISH {
		hj_async(transfer, &accounts[0]);
		hj_async(transfer, &accounts[1]);
		hj_async(alone, NULL);
		hj_async(alone, NULL);
		hj_async(adder, NULL);
		hj_async(adder, NULL);
	}
	assert(total == 2 * (1 + 2 + 2 + 1));
	assert(accounts[0].balance == 0 && accounts[1].balance == 0 && accounts[2].balance == 6);
}

int main(void)
{
	hj_launch(root, NULL);
	return 0;
}
