/*
 * Tasks of a recursion give their sums back through variables of the parent.
 * race: 19 22
 */
#include <omp.h>

static int v[64];

static int sum(int lo, int hi)
{
	int a = 0, b = 0;

	if (hi - lo < 8) {
		for (int i = lo; i < hi; i++)
			a += v[i];
		return a;
	}
#pragma omp task shared(a)
	a = sum(lo, (lo + hi) / 2);
#pragma omp task shared(b)
	b = sum((lo + hi) / 2, hi);
	hi = a + b;
#pragma omp taskwait
	return hi;
}

int main(void)
{
	int s = 0;

#pragma omp parallel num_threads(2)
#pragma omp single
	s = sum(0, 64);
	return s;
}
