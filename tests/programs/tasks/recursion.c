/*
 * Tasks that make tasks and wait for them, far more than the machine has threads for at a time.
 *
 * RUN: run --races no --seed 1..2
 * EXPECT: clean
 * RUN: run --races no --policy rr
 * EXPECT: clean
 * RUN: run --races no --policy pct
 * EXPECT: clean
 */
#include "../program.h"

#include <heddle/hj.h>

struct call {
	long n, result;
};

static void fib(void *arg)
{
	struct call *f = arg, a = { f->n - 1, 0 }, b = { f->n - 2, 0 };

	if (f->n < 2) {
		f->result = f->n;
		return;
	}
	HJ_FINISH {
		hj_async(fib, &a);
		hj_async(fib, &b);
	}
	f->result = a.result + b.result;
}

int main(void)
{
	struct call f = { 19, 0 };

	hj_launch(fib, &f);
	assert(f.result == 4181);
	return 0;
}
