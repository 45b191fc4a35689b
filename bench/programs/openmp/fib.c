/* Fibonacci numbers, two tasks a number: fib [N]. */
#include <stdio.h>
#include <stdlib.h>

static int fib(int n)
{
	int x, y;

	if (n < 2)
		return n;
#pragma omp task shared(x)
	x = fib(n - 1);
#pragma omp task shared(y)
	y = fib(n - 2);
#pragma omp taskwait
	return x + y;
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 10, r = 0;

#pragma omp parallel
#pragma omp single
	r = fib(n);
	printf("%d\n", r);
	return 0;
}
