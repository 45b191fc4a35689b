/*
 * A static variable of a function that all call.
 * clean
 */
#include <omp.h>

static int next(void)
{
	static _Thread_local int n;

	return ++n;
}

int main(void)
{
	int sum = 0;

#pragma omp parallel num_threads(3) reduction(+ : sum)
	sum += next();
	return sum < 0;
}
