/*
 * Three chains of iterations, and each has its sum.
 * clean
 */
#include <omp.h>
#include <stdlib.h>

int main(void)
{
	int sum[3] = { 0 };

#pragma omp parallel for ordered(1) schedule(dynamic)
	for (int i = 0; i < 30; i++) {
#pragma omp ordered depend(sink : i - 3)
		sum[i % 3] += i;
#pragma omp ordered depend(source)
	}
	return sum[0] + sum[1] + sum[2] != 435;
}
