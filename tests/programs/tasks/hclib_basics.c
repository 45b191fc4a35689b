/*
 * HClib's C interface: launch, async with futures, finish of both kinds, promises, loops in both modes,
 * workers and places.
 *
 * RUN: run --seed 1..20
 * EXPECT: clean
 * RUN: run --policy pct --seed 1..10
 * EXPECT: clean
 * RUN: run --policy rr
 * EXPECT: clean
 */
#include "../program.h"

#include <hclib.h>
#include <hclib_atomic.h>

#define N 20

static int touched[N], grid[6][5], box[2][3][2], order[3], norder;
static long per_worker[64];

static long fib(long n);

static void fib_task(void *arg)
{
	long *cell = arg;

	cell[1] = fib(cell[0]);
}

static long fib(long n)
{
	long a[2] = { n - 1, 0 }, b[2] = { n - 2, 0 };

	if (n < 2)
		return n;
	hclib_start_finish();
	hclib_async(fib_task, a, NO_FUTURE, 0, ANY_PLACE);
	hclib_async(fib_task, b, NO_FUTURE, 0, hclib_get_closest_locale());
	hclib_end_finish();
	return a[1] + b[1];
}

static void touch(void *arg, int i)
{
	((int *)arg)[i]++;
}

static void touch2(void *arg, int i, int j)
{
	grid[i][j]++;
}

static void touch3(void *arg, int i, int j, int k)
{
	box[i][j][k]++;
}

static void loops(void)
{
	hclib_loop_domain_t line = { 0, N, 1, 4 }, odd = { 1, N, 2, -1 };
	hclib_loop_domain_t square[2] = { { 0, 6, 1, 2 }, { 0, 5, 1, 5 } };
	loop_domain_t cube[3] = { { 0, 2, 1, 1 }, { 0, 3, 1, 2 }, { 0, 2, 1, 1 } };
	hclib_future_t *done;

	HCLIB_FINISH
		hclib_forasync((void *)touch, touched, 1, &line, FORASYNC_MODE_FLAT);
	HCLIB_FINISH
		hclib_forasync((void *)touch, touched, 1, &odd, FORASYNC_MODE_RECURSIVE);
	for (int i = 0; i < N; i++)
		assert(touched[i] == 1 + i % 2);
	done = hclib_forasync_future((void *)touch2, NULL, 2, square, FORASYNC_MODE_RECURSIVE);
	hclib_future_wait(done);
	for (int i = 0; i < 30; i++)
		assert((&grid[0][0])[i] == 1);
	hclib_start_finish();
	hclib_forasync((void *)touch3, NULL, 3, cube, FORASYNC_MODE_FLAT);
	hclib_future_wait(hclib_end_finish_nonblocking());
	for (int i = 0; i < 12; i++)
		assert((&box[0][0][0])[i] == 1);
}

static void step(void *arg)
{
	order[norder++] = (int)(long)arg;
}

static void put(void *arg)
{
	order[norder++] = 1;
	hclib_promise_put(arg, order);
}

static void *twice(void *arg)
{
	return (void *)(2 * (long)arg);
}

static void futures(void)
{
	hclib_promise_t *p = hclib_promise_create(), in_place, **list = hclib_promise_create_n(3, 1);
	hclib_future_t *f = hclib_get_future_for_promise(p), *doubled, *copy;
	hclib_future_t *both[2];
	int from = 7, to = 0;

	hclib_promise_init(&in_place);
	assert(list[0] && list[1] && !list[2]);
	HCLIB_FINISH {
		hclib_async(step, (void *)2L, &f, 1, NULL);
		hclib_async(put, p, NULL, 0, NULL);
	}
	assert(norder == 2 && order[0] == 1 && order[1] == 2);
	assert(hclib_future_is_satisfied(f) && hclib_future_get(f) == order);
	assert(p->satisfied && p->datum == order);

	both[0] = &in_place.future;
	both[1] = hclib_get_future_for_promise(list[0]);
	doubled = hclib_async_future(twice, (void *)21L, both, 2, NULL);
	hclib_promise_put(list[0], NULL);
	hclib_promise_put(&in_place, NULL);
	assert(hclib_future_wait(doubled) == (void *)42L);
	assert(hclib_future_wait_and_get(doubled) == (void *)42L);

	copy = hclib_async_copy(NULL, &to, NULL, &from, sizeof(to), NULL, 0);
	assert(hclib_future_wait(copy) == &to && to == 7);
	hclib_promise_free(p);
	hclib_promise_free_n(list, 3, 1);
}

static void on_worker(void *arg)
{
	int w = hclib_get_current_worker();
	long seen = per_worker[w];

	assert(w >= 0 && w < hclib_get_num_workers());
	hclib_yield(NULL);
	assert(seen == per_worker[w]); /* nobody else is this worker now */
	per_worker[w]++;
}

static void workers(void)
{
	long sum = 0;

	for (int round = 0; round < 3; round++) {
		HCLIB_FINISH {
			for (int i = 0; i < 6; i++)
				hclib_async_nb(on_worker, NULL, NULL);
		}
	}
	for (int i = 0; i < hclib_num_workers(); i++)
		sum += per_worker[i];
	assert(sum == 18);
}

static void zero(void *value, void *arg)
{
	*(long *)value = 0;
}

static void add(void *value, void *arg)
{
	*(long *)value += (long)arg;
}

static void gather(void *a, void *b, void *arg)
{
	*(long *)a += *(long *)b;
}

static void update(void *arg)
{
	hclib_atomic_update(arg, add, (void *)3L);
}

static void atomics(void)
{
	hclib_atomic_t *sum = hclib_atomic_create(sizeof(long), zero, NULL);

	HCLIB_FINISH {
		for (int i = 0; i < 5; i++)
			hclib_async(update, sum, NULL, 0, NULL);
	}
	assert(*(long *)hclib_atomic_gather(sum, gather, NULL) == 15);
}

static void entry(void *arg)
{
	void (*fn)(void *);
	void *its_arg;

	assert(*(int *)arg == 3);
	assert(fib(7) == 13);
	loops();
	futures();
	workers();
	atomics();
	assert(hclib_get_num_locales() == 1 && hclib_get_all_locales() == hclib_get_closest_locale());
	hclib_get_curr_task_info(&fn, &its_arg);
	*(int *)arg = 4;
}

int main(void)
{
	const char *deps[] = { "system" };
	int arg = 3;

	hclib_launch(entry, &arg, deps, 1);
	assert(arg == 4);
	return 0;
}
