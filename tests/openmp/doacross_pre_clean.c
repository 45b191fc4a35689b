/*
 * The value is written before the source.
 * clean
 */
#include <omp.h>
#include <stdlib.h>

int main(void)
{
	int a[12] = { 1 }, b[12] = { 0 };

#pragma omp parallel for ordered(1)
	for (int i = 1; i < 12; i++) {
		a[i] = i;
#pragma omp ordered depend(sink : i - 1)
		b[i] = a[i - 1];
#pragma omp ordered depend(source)
	}
	return b[11] != 10 || b[1] != 1;
}
