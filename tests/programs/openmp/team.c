/*
 * Teams: number of threads, what they share, barriers, nested regions, data-sharing clauses,
 * threadprivate and copyin from one region to the next.
 *
 * CC: -fopenmp
 * RUN: run --seed 1..10
 * EXPECT: clean
 * RUN: run --seed 1..10 --threads 3 --policy pct
 * EXPECT: clean
 * RUN: run --seed 1..2 --switch-at accesses
 * EXPECT: clean
 */
#include <assert.h>
#include <omp.h>

static int kept;
#pragma omp threadprivate(kept)

static int seen[64], first, after[64];

static void sharing(void)
{
	int f = 5, p = 7, n = 0;

#pragma omp parallel firstprivate(f) private(p) shared(n)
	{
		assert(f == 5);
		p = f + omp_get_thread_num();
		f = -1;
#pragma omp atomic
		n += p - 5;
	}
	assert(f == 5 && p == 7);
	n *= 2;
	assert(n == omp_get_max_threads() * (omp_get_max_threads() - 1));
}

static void barriers(void)
{
#pragma omp parallel
	{
		int me = omp_get_thread_num(), n = omp_get_num_threads();

		for (int round = 1; round < 4; round++) {
			seen[me] = round;
#pragma omp barrier
			assert(seen[(me + 1) % n] == round);
#pragma omp barrier
		}
	}
}

static void private_to_threads(void)
{
	kept = 100;
#pragma omp parallel copyin(kept)
	{
		assert(kept == 100);
		kept += omp_get_thread_num();
	}
#pragma omp parallel
	{
		assert(kept == 100 + omp_get_thread_num());
		kept++;
	}
#pragma omp parallel
	assert(kept == 101 + omp_get_thread_num());
}

static void nested(void)
{
	int n = 0;

	omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2) reduction(+ : n)
	{
		int outer = omp_get_thread_num();

		assert(omp_get_level() == 1 && omp_get_num_threads() == 2);
#pragma omp parallel num_threads(3) reduction(+ : n)
		{
			assert(omp_get_level() == 2 && omp_get_active_level() == 2);
			assert(omp_get_num_threads() == 3 && omp_get_team_size(1) == 2);
			assert(omp_get_ancestor_thread_num(1) == outer);
			assert(omp_get_ancestor_thread_num(2) == omp_get_thread_num());
			assert(omp_get_ancestor_thread_num(0) == 0 && omp_get_ancestor_thread_num(3) == -1);
			n++;
#pragma omp parallel
			assert(omp_get_num_threads() == 1 && omp_get_active_level() == 2);
		}
	}
	assert(n == 6 && omp_get_level() == 0 && !omp_in_parallel());
}

static void serial(void)
{
	int n = 0;

#pragma omp parallel if (0)
	{
		assert(omp_get_num_threads() == 1 && omp_get_level() == 1 && !omp_in_parallel());
		n++;
	}
#pragma omp parallel num_threads(5)
	{
		assert(omp_in_parallel());
#pragma omp masked filter(3)
		first = omp_get_thread_num();
#pragma omp atomic
		n++;
	}
	assert(n == 6 && first == 3);
}

static void reductions(void)
{
	int s = 1, m = 3, any = 0, arr[3] = { 0, 0, 0 };
	double d = 1;

#pragma omp parallel num_threads(4) reduction(+ : s, arr) reduction(max : m) reduction(|| : any) reduction(* : d)
	{
		int me = omp_get_thread_num();

		s += me;
		m = me * 3;
		any = me == 2;
		d *= 2;
		arr[me % 3] += me;
	}
	assert(s == 7 && m == 9 && any && d == 16);
	assert(arr[0] == 3 && arr[1] == 1 && arr[2] == 2);
}

static void copied(void)
{
#pragma omp parallel num_threads(4)
	{
		int mine = -1;

		for (int i = 0; i < 3; i++) {
#pragma omp single copyprivate(mine)
			mine = 10 + i;
			assert(mine == 10 + i);
			after[omp_get_thread_num()] += mine;
		}
	}
	for (int i = 0; i < 4; i++)
		assert(after[i] == 33);
}

int main(void)
{
	sharing();
	barriers();
	private_to_threads();
	nested();
	serial();
	reductions();
	copied();
	return 0;
}
