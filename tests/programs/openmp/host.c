/*
 * What runs on the host alone: target, teams and distribute; cancellation, on and off; locks.
 *
 * CC: -fopenmp
 * RUN: run --seed 1..10
 * EXPECT: clean
 * RUN: run --seed 1..2 --threads 2 --policy pct
 * EXPECT: clean
 */
#include <omp.h>
#include <assert.h>
static int x, a[64], done[64];
int main(void)
{
	int fp[3] = {1, 2, 3}, s = 0;
#pragma omp target map(tofrom : x) firstprivate(fp)
	{
		x = fp[0] + fp[1] + fp[2];
		fp[0] = 99;
	}
	assert(x == 6 && fp[0] == 1);
#pragma omp target teams distribute parallel for num_teams(3) thread_limit(2)
	for (int i = 0; i < 64; i++)
		a[i] = i;
	for (int i = 0; i < 64; i++)
		assert(a[i] == i);
#pragma omp teams num_teams(4) reduction(+ : s)
	{
		assert(omp_get_num_teams() == 4);
		s += omp_get_team_num();
	}
	assert(s == 6);
#pragma omp teams distribute parallel for
	for (int i = 0; i < 64; i++)
		a[i]++;
	for (int i = 0; i < 64; i++)
		assert(a[i] == i + 1);
#pragma omp parallel
#pragma omp single
	{
#pragma omp target nowait depend(out : x) map(tofrom : x)
		x = 10;
#pragma omp target nowait depend(inout : x) map(tofrom : x)
		x++;
#pragma omp taskwait
		assert(x == 11);
	}
#pragma omp target data map(tofrom : a)
	{
#pragma omp target
		a[0] = 5;
#pragma omp target update from(a)
	}
	assert(a[0] == 5);
	int found = 0, n = 0;
#pragma omp parallel
	{
#pragma omp for
		for (int i = 0; i < 1000; i++) {
			if (i == 10) {
#pragma omp atomic write
				found = 1;
#pragma omp cancel for
			}
#pragma omp cancellation point for
#pragma omp atomic
			n++;
		}
	}
	assert(omp_get_cancellation() ? n < 1000 : n == 1000);
#pragma omp parallel
	{
#pragma omp taskgroup
	    {for (int i = 0; i < 5; i++)
#pragma omp task
		 {
#pragma omp cancel taskgroup
		 }}}
#pragma omp parallel
	{
		if (omp_get_thread_num() == 1) {
#pragma omp cancel parallel
		}
#pragma omp barrier
#pragma omp cancellation point parallel
		done[omp_get_thread_num()] = 1;
	}
	omp_lock_t l;
	omp_nest_lock_t nl;
	omp_init_lock(&l);
	omp_init_nest_lock(&nl);
	int c = 0;
#pragma omp parallel
	{
		omp_set_lock(&l);
		c++;
		omp_unset_lock(&l);
		omp_set_nest_lock(&nl);
		omp_set_nest_lock(&nl);
		omp_unset_nest_lock(&nl);
		omp_unset_nest_lock(&nl);
	}
	omp_destroy_lock(&l);
	omp_destroy_nest_lock(&nl);
	return 0;
}
