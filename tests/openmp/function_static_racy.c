/*
 * A static variable of a function that all call.
 * race: 11 11
 */
#include <omp.h>

static int next(void)
{
	static int n;

	return ++n;
}

int main(void)
{
	int sum = 0;

#pragma omp parallel num_threads(3) reduction(+ : sum)
	sum += next();
	return sum < 0;
}
