/*
 * Futures have the value that their task returned, however many get it and whenever; promises the
 * one that was put; and tasks that await begin after all of their futures, with what was
 * written before these were put.
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

#define N 8

static int square_of[N], inputs[N];

static void *square(void *arg)
{
	long i = (long)arg;

	square_of[i] = (int)(i * i);
	return (void *)(i * i);
}

static void *sum(void *arg)
{
	hj_future_t **squares = arg;
	long total = 0;

	for (int i = 0; i < N; i++)
		total += (long)hj_future_get(squares[i]);
	return (void *)total;
}

/* Runs after both promises: reads what was written before they were put. */
static void add_inputs(void *arg)
{
	assert(inputs[0] == 10 && inputs[1] == 20);
	inputs[2] = inputs[0] + inputs[1];
	hj_promise_put(arg, &inputs[2]);
}

static void put_first(void *arg)
{
	inputs[0] = 10;
	hj_promise_put(arg, NULL);
}

static void put_second(void *arg)
{
	inputs[1] = 20;
	hj_promise_put(arg, (void *)1);
}

static void *product(void *arg)
{
	return (void *)((long)arg * 3);
}

static void count(void *arg)
{
	HJ_ISOLATED
		++*(int *)arg;
}

static void root(void *arg)
{
	hj_future_t *squares[N], *sums[2], *both[2], *late, *all;
	hj_promise_t *a = hj_promise_new(), *b = hj_promise_new(), *c = hj_promise_new();
	int counted = 0;

	for (long i = 0; i < N; i++)
		squares[i] = hj_async_future(square, (void *)i);
	sums[0] = hj_async_future(sum, squares);
	sums[1] = hj_async_future(sum, squares);
	assert((long)hj_future_get(sums[0]) == 140 && (long)hj_future_get(sums[1]) == 140);
	for (int i = 0; i < N; i++)
		assert(square_of[i] == i * i && hj_future_ready(squares[i]));

	both[0] = hj_promise_future(b);
	both[1] = hj_promise_future(a);
	hj_async_await(add_inputs, c, both, 2);
	late = hj_async_future_await(product, (void *)5, both, 2);
	hj_async(put_first, a);
	hj_async(put_second, b);
	assert(*(int *)hj_future_get(hj_promise_future(c)) == 30 && inputs[2] == 30);
	assert((long)hj_future_get(late) == 15);

	/* A finish that does not wait; its future is after all of its tasks. */
	hj_finish_begin();
	for (int i = 0; i < N; i++)
		hj_async(count, &counted);
	all = hj_finish_end_future();
	hj_future_get(all);
	assert(counted == N);
	for (int i = 0; i < N; i++)
		hj_future_free(squares[i]);
	hj_future_free(sums[0]);
	hj_future_free(sums[1]);
}

int main(void)
{
	hj_promise_t *unused = hj_promise_new(); /* before the launch */

	hj_launch(root, NULL);
	hj_promise_free(unused);
	return 0;
}
