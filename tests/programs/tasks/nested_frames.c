/*
 * Tasks that are given variables of calls which return before other tasks run: on workers these may run
 * on the same stack, which is no race.
 *
 * RUN: run --seed 1..5
 * EXPECT: clean
 * RUN: run --algorithm complete --seed 1
 * EXPECT: clean
 */
#include "../program.h"

#include <heddle/hj.h>

struct part {
	long n, result;
};

static void fib(void *arg)
{
	struct part *p = arg, left, right;

	if (p->n < 2) {
		p->result = p->n;
		return;
	}
	left = (struct part){ .n = p->n - 1 };
	right = (struct part){ .n = p->n - 2 };
	HJ_FINISH {
		hj_async(fib, &left);
		fib(&right);
	}
	p->result = left.result + right.result;
}

static void root(void *arg)
{
	struct part p = { .n = 7 };

	fib(&p);
	assert(p.result == 13);
}

int main(void)
{
	hj_launch(root, NULL);
	return 0;
}
