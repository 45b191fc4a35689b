/*
 * A null pointer in the list of objects does not end it: without the second object the two tasks
 * would race on it.
 *
 * RUN: run --seed 1..5
 * EXPECT: clean
 */
#include "../program.h"

#include <heddle/hj.h>

static int a, b;

static void add(void *arg)
{
#ifdef RACY
	HJ_ISOLATED_ON(&a, arg) {
#else
	HJ_ISOLATED_ON(&a, arg, &b) {
#endif
		a++;
		b++; /* SUM */
	}
}

static void only_b(void *arg)
{
	HJ_ISOLATED_ON(arg, &b)
		b++; /* ALONE */
}

static void root(void *arg)
{
	hj_async(add, NULL);
	hj_async(only_b, NULL);
}

int main(void)
{
	hj_launch(root, NULL);
	return 0;
}
