/*
 * The recursion that everybody writes, with and without taskwait.
 * clean
 */
#include <omp.h>
#include <stdlib.h>

static int fib(int n)
{
	int a, b;

	if (n < 2)
		return n;
#pragma omp task shared(a)
	a = fib(n - 1);
#pragma omp task shared(b)
	b = fib(n - 2);
#pragma omp taskwait
	return a + b;
}

int main(void)
{
	int f;

#pragma omp parallel num_threads(2)
#pragma omp single
	f = fib(6);
	return f - 8;
}
