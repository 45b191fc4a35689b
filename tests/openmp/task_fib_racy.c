/*
 * The recursion that everybody writes, with and without taskwait.
 * race: 15 17
 */
#include <omp.h>
#include <stdlib.h>

static int fib(int n)
{
	int a = 0, b;

	if (n < 2)
		return n;
#pragma omp task shared(a)
	a = fib(n - 1);
	b = fib(n - 2);
	b += a;
#pragma omp taskwait
	return b;
}

int main(void)
{
	int f;

#pragma omp parallel num_threads(2)
#pragma omp single
	f = fib(5);
	return f > 5;
}
