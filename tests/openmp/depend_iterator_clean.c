/*
 * Dependences made by an iterator.
 * clean
 */
#include <omp.h>
#include <stdlib.h>

int main(void)
{
	int a[4] = { 0 }, sum = 0;

#pragma omp parallel num_threads(2)
#pragma omp single
	{
		for (int i = 0; i < 4; i++) {
#pragma omp task shared(a) depend(out : a[i])
			a[i] = 1;
		}
#pragma omp task shared(a, sum) depend(iterator(k = 0 : 4), in : a[k])
		sum = a[0] + a[1] + a[2] + a[3];
	}
	return sum - 4;
}
