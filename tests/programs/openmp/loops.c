/*
 * Every schedule gives out every iteration once, upwards and downwards, of both types, with and without
 * chunk sizes; static ones keep what they promise; ordered regions come in the loop's order.
 *
 * CC: -fopenmp
 * RUN: run --seed 1..10
 * EXPECT: clean
 * RUN: run --seed 1..5 --threads 3
 * EXPECT: clean
 * RUN: run --seed 1..2 --threads 2 --switch-at accesses
 * EXPECT: clean
 */
#include <assert.h>
#include <limits.h>
#include <omp.h>
#include <string.h>

#define N 37

static int times[N], who[N];

static void once(void)
{
	for (int i = 0; i < N; i++)
		assert(times[i] == 1);
	memset(times, 0, sizeof(times));
}

#define LOOP(...)                                                                                  \
	do {                                                                                       \
		_Pragma(__VA_ARGS__) for (int i = 0; i < N; i++) times[i]++;                       \
		once();                                                                            \
	} while (0)

static void schedules(void)
{
	LOOP("omp parallel for");
	LOOP("omp parallel for schedule(static)");
	LOOP("omp parallel for schedule(static, 4)");
	LOOP("omp parallel for schedule(dynamic)");
	LOOP("omp parallel for schedule(dynamic, 5)");
	LOOP("omp parallel for schedule(guided)");
	LOOP("omp parallel for schedule(guided, 3)");
	LOOP("omp parallel for schedule(auto)");
	LOOP("omp parallel for schedule(nonmonotonic : dynamic, 2)");
	LOOP("omp parallel for schedule(monotonic : static, 2)");
	LOOP("omp parallel for simd schedule(simd : static, 8)");
	for (int kind = 1; kind <= 4; kind++) {
		omp_set_schedule((omp_sched_t)kind, kind);
		LOOP("omp parallel for schedule(runtime)");
	}
}

static void bounds(void)
{
	unsigned long long n = 0, last = 0;
	long down = 0;

#pragma omp parallel for reduction(+ : n) lastprivate(last)
	for (unsigned long long i = ULLONG_MAX - 20; i < ULLONG_MAX - 3; i += 5) {
		n++;
		last = i;
	}
	assert(n == 4 && last == ULLONG_MAX - 5);
#pragma omp parallel for reduction(+ : down) schedule(dynamic, 2)
	for (long i = 10; i > -10; i -= 3)
		down += i;
	assert(down == 10 + 7 + 4 + 1 - 2 - 5 - 8);
#pragma omp parallel for schedule(dynamic)
	for (unsigned long i = 3; i > 3; i--)
		assert(0);
#pragma omp parallel for
	for (int i = 5; i < 5; i++)
		assert(0);
}

static void promises(void)
{
#pragma omp parallel
	{
		int n = omp_get_num_threads(), me = omp_get_thread_num();

#pragma omp for schedule(static, 3) nowait
		for (int i = 0; i < N; i++)
			who[i] = me;
#pragma omp for schedule(static, 3)
		for (int i = 0; i < N; i++)
			assert(who[i] == me && i / 3 % n == me);
#pragma omp for schedule(static) nowait
		for (int i = 0; i < N; i++)
			who[i] = me;
#pragma omp for schedule(static)
		for (int i = 0; i < N; i++)
			assert(who[i] == me);
#pragma omp for schedule(static)
		for (int i = 0; i < N - 1; i++)
			assert(i == 0 || who[i] >= who[i - 1]);
	}
}

static void collapsed(void)
{
	static int grid[4][9];
	int i, j, k = 0;

#pragma omp parallel for collapse(2) lastprivate(i, j) private(k)
	for (i = 0; i < 4; i++)
		for (j = 0; j < 9; j += 2) {
			k = i * j;
			grid[i][j] += k + 1;
		}
	for (int p = 0; p < 4; p++)
		for (int q = 0; q < 9; q++)
			assert(grid[p][q] == (q % 2 ? 0 : p * q + 1));
	assert(i == 4 && j == 10 && k == 0);
}

static void ordered(void)
{
	int next = 0, next2 = 0, x = -1;

#pragma omp parallel for ordered schedule(dynamic, 2)
	for (int i = 0; i < N; i++) {
		times[i]++;
#pragma omp ordered
		{
			assert(next == i);
			next++;
		}
	}
	once();
#pragma omp parallel for ordered
	for (int i = 0; i < N; i++) {
		if (i % 3 == 0)
			continue; /* has no ordered region */
#pragma omp ordered
		assert(next2++ == i - i / 3 - 1);
	}
#pragma omp parallel for lastprivate(conditional : x)
	for (int i = 0; i < N; i++)
		if (i % 7 == 2)
			x = i;
	assert(x == 30);
}

static void doacross(void)
{
	static int a[N], g[6][6];

#pragma omp parallel for ordered(1) schedule(dynamic)
	for (int i = 0; i < N; i++) {
#pragma omp ordered depend(sink : i - 2)
		a[i] = i < 2 ? 1 : a[i - 2] + 1;
#pragma omp ordered depend(source)
	}
	for (int i = 0; i < N; i++)
		assert(a[i] == i / 2 + 1);
#pragma omp parallel for ordered(2)
	for (int i = 0; i < 6; i++)
		for (int j = 0; j < 6; j++) {
#pragma omp ordered depend(sink : i - 1, j) depend(sink : i, j - 1)
			g[i][j] = i && j ? g[i - 1][j] + g[i][j - 1] : 1;
#pragma omp ordered depend(source)
		}
	assert(g[5][5] == 252);
}

static void scan(void)
{
	int sum = 0, in[N], out[N], ex[N];

	for (int i = 0; i < N; i++)
		in[i] = i;
#pragma omp parallel for reduction(inscan, + : sum)
	for (int i = 0; i < N; i++) {
		sum += in[i];
#pragma omp scan inclusive(sum)
		out[i] = sum;
	}
	sum = 0;
#pragma omp parallel for reduction(inscan, + : sum)
	for (int i = 0; i < N; i++) {
		ex[i] = sum;
#pragma omp scan exclusive(sum)
		sum += in[i];
	}
	for (int i = 0; i < N; i++)
		assert(out[i] == i * (i + 1) / 2 && ex[i] == i * (i - 1) / 2);
}

static void sections(void)
{
	int a = 0, b = 0, c = 0, last = 0;

#pragma omp parallel sections lastprivate(last)
	{
#pragma omp section
		a = last = 1;
#pragma omp section
		b = last = 2;
#pragma omp section
		c = last = 3;
	}
	assert(a == 1 && b == 2 && c == 3 && last == 3);
#pragma omp parallel
	{
#pragma omp sections
		{
			a++;
#pragma omp section
			b++;
		}
		assert(a == 2 && b == 3);
	}
}

int main(void)
{
	schedules();
	bounds();
	promises();
	collapsed();
	ordered();
	doacross();
	scan();
	sections();
	return 0;
}
