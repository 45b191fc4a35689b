/*
 * Programs for HClib's earlier releases: other ways to launch, lists of futures that end with NULL, and
 * arguments that say nothing; waiting by yielding.
 *
 * RUN: run --seed 1..20
 * EXPECT: clean
 * RUN: run --policy pct --seed 1..10
 * EXPECT: clean
 * RUN: run --policy rr
 * EXPECT: clean
 */
#include "../program.h"

#include "hclib.h"

extern int get_current_worker(void);

static int touched[10], order[2];
static _Atomic int begun;

static void touch(void *arg, int i)
{
	assert(order[1] == 2);
	touched[i]++;
}

static void first(void *arg)
{
	order[0] = 1;
	hclib_promise_put(arg, NO_DATUM);
}

static void second(void *arg)
{
	assert(order[0] == 1 && get_current_worker() >= 0);
	order[1] = 2;
	hclib_promise_put(arg, NO_DATUM);
}

static void *last(void *arg)
{
	return order;
}

static void begin(void *arg)
{
	begun = 1;
}

static void entry(void *arg)
{
	hclib_promise_t *p = hclib_promise_create(), *q = hclib_promise_create();
	hclib_future_t *after_p[] = { hclib_get_future_for_promise(p), NULL };
	hclib_future_t *after_q[] = { hclib_get_future_for_promise(q), NULL }, *end;
	loop_domain_t loop = { 0, 10, 1, 3 };

	hclib_start_finish();
	hclib_forasync((void *)touch, NULL, after_q, 1, &loop, FORASYNC_MODE_FLAT);
	hclib_async(second, q, after_p, NO_PHASER, ANY_PLACE, NO_PROP);
	hclib_async(first, p, NO_FUTURE, NO_PHASER, ANY_PLACE, NO_PROP);
	end = hclib_async_future(last, NULL, after_q, NO_PHASER, ANY_PLACE, NO_PROP);
	assert(hclib_future_wait(end) == order);
	hclib_end_finish();
	for (int i = 0; i < 10; i++)
		assert(touched[i] == 1);
	begun = 0;
	hclib_async(begin, NULL, NO_FUTURE, NO_PHASER, ANY_PLACE, NO_PROP);
	while (!begun)
		hclib_yield(NULL);
	++*(int *)arg;
	order[0] = order[1] = 0;
	memset(touched, 0, sizeof(touched));
}

int main(int argc, char **argv)
{
	int launches = 0;

	hclib_launch(entry, &launches);
	hclib_launch(&argc, argv, entry, &launches);
	assert(launches == 2);
	return 0;
}
