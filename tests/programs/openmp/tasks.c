/*
 * Explicit tasks: what they share, who waits for whom (taskwait, taskgroup, barriers), included and final
 * ones, dependences of every kind, detached ones, taskloops and reductions over tasks.
 *
 * CC: -fopenmp
 * RUN: run --seed 1..10
 * EXPECT: clean
 * RUN: run --seed 1..10 --threads 2 --policy pct
 * EXPECT: clean
 * RUN: run --seed 1..3 --threads 1
 * EXPECT: clean
 * RUN: run --seed 1..2 --switch-at accesses
 * EXPECT: clean
 */
#include <assert.h>
#include <omp.h>

static int fib(int n)
{
	int x, y;

	if (n < 2)
		return n;
#pragma omp task shared(x) untied
	x = fib(n - 1);
#pragma omp task shared(y) if (n > 3) mergeable
	y = fib(n - 2);
#pragma omp taskwait
	return x + y;
}

static void waiting(void)
{
	int a = 0, b = 0, order = 0, captured = 3, in_group = 0;

#pragma omp parallel
#pragma omp single
	{
#pragma omp task shared(a) firstprivate(captured)
		a = captured;
		captured = 9;
#pragma omp taskwait
		assert(a == 3);
#pragma omp taskgroup
		{
#pragma omp task shared(in_group)
			{
#pragma omp task shared(in_group)
				{
#pragma omp task shared(in_group)
#pragma omp atomic
					in_group++;
#pragma omp atomic
					in_group++;
				}
			}
		}
		assert(in_group == 2);
#pragma omp task shared(order) if (0)
		{
			assert(order == 0);
			order = 1;
		}
		assert(order == 1);
#pragma omp task final(1) shared(b)
		{
			assert(omp_in_final());
#pragma omp task shared(b)
			{
				assert(omp_in_final());
				b = 1;
			}
			assert(b == 1);
		}
	}
	assert(b == 1);
#pragma omp parallel num_threads(4)
	{
		int mine = 0;

#pragma omp task shared(mine)
		mine = 1;
#pragma omp barrier
		assert(mine == 1);
#pragma omp task shared(mine)
		{
#pragma omp taskyield
			mine++;
		}
#pragma omp taskwait
		assert(mine == 2);
	}
}

static void depending(void)
{
	int x = 0, y = 0, sum = 0, list[4] = { 0 };

#pragma omp parallel
#pragma omp single
	{
#pragma omp task depend(out : x) shared(x)
		x = 1;
#pragma omp task depend(in : x) depend(out : y) shared(x, y)
		y = x + 1;
#pragma omp task depend(in : x) shared(x)
		assert(x == 1);
#pragma omp task depend(inout : x) depend(in : y) shared(x, y)
		x = x + y;
#pragma omp taskwait depend(in : x)
		assert(x == 3 && y == 2);
		for (int i = 0; i < 5; i++)
#pragma omp task depend(mutexinoutset : sum) shared(sum)
			sum += i; /* one at a time, in any order */
#pragma omp task depend(in : sum) shared(sum)
		assert(sum == 10);
#pragma omp task depend(inout : sum) shared(sum) if (0)
		sum++;
		assert(sum == 11);
#pragma omp task depend(iterator(i = 0 : 4), out : list[i]) shared(list)
		for (int i = 0; i < 4; i++)
			list[i] = i;
		for (int i = 0; i < 4; i++)
#pragma omp task depend(inout : list[i]) shared(list)
			list[i] *= 2;
#pragma omp task depend(iterator(i = 0 : 4), in : list[i]) shared(list, x)
		x = list[0] + list[1] + list[2] + list[3];
	}
	assert(x == 12);
}

static void objects(void)
{
	omp_depend_t d;
	int x = 0;

#pragma omp depobj(d) depend(inout : x)
#pragma omp parallel
#pragma omp single
	{
#pragma omp task depend(depobj : d) shared(x)
		x = 1;
#pragma omp task depend(depobj : d) shared(x)
		assert(x++ == 1);
#pragma omp task depend(in : x) shared(x)
		assert(x == 2);
	}
#pragma omp depobj(d) destroy
}

static void detached(void)
{
	int body = 0, fulfilled = 0;

#pragma omp parallel num_threads(2)
#pragma omp single
	{
		omp_event_handle_t event;

#pragma omp task detach(event) depend(out : body) shared(body)
		body = 1;
#pragma omp task depend(in : body) shared(body, fulfilled)
		assert(body == 1 && fulfilled == 1);
#pragma omp task firstprivate(event) shared(fulfilled)
		{
			fulfilled = 1;
			omp_fulfill_event(event);
		}
	}
}

static void loops(void)
{
	int n[50] = { 0 }, sum = 0, many = 0;

#pragma omp parallel
#pragma omp single
	{
#pragma omp taskloop shared(n) grainsize(4)
		for (int i = 0; i < 50; i++)
			n[i]++;
		for (int i = 0; i < 50; i++)
			assert(n[i] == 1);
#pragma omp taskloop num_tasks(7) reduction(+ : sum)
		for (unsigned long i = 50; i > 0; i--)
			sum += (int)i;
		assert(sum == 1275);
#pragma omp taskloop nogroup shared(n)
		for (int i = 0; i < 50; i++)
			n[i]++;
#pragma omp taskwait
		for (int i = 0; i < 50; i++)
			assert(n[i] == 2);
#pragma omp taskgroup task_reduction(+ : many)
		{
			for (int i = 0; i < 9; i++)
#pragma omp task in_reduction(+ : many)
				many += i;
		}
		assert(many == 36);
	}
	sum = 0;
#pragma omp parallel reduction(task, + : sum)
	{
#pragma omp task in_reduction(+ : sum)
		sum += 2;
	}
	assert(sum == 2 * omp_get_max_threads());
	sum = 0;
#pragma omp parallel
#pragma omp for reduction(task, + : sum)
	for (int i = 0; i < 8; i++) {
#pragma omp task in_reduction(+ : sum)
		sum += i;
	}
	assert(sum == 28);
}

int main(void)
{
	int f;

#pragma omp parallel
#pragma omp single
	f = fib(8);
	assert(f == 21);
	waiting();
	depending();
	objects();
	detached();
	loops();
	return 0;
}
