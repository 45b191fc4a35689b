/*
 * A target region executed on the host.
 * clean
 */
#include <omp.h>
#include <stdlib.h>

int main(void)
{
	int a[12] = { 0 };

#pragma omp target parallel for map(tofrom : a) num_threads(3)
	for (int i = 1; i < 12; i++)
		a[i] = i;
	return a[11] - 11;
}
