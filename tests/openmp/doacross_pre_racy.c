/*
 * The value is written after the source, so the sink does not wait for it.
 * race: 15 17
 */
#include <omp.h>
#include <stdlib.h>

int main(void)
{
	int a[12] = { 1 }, b[12] = { 0 };

#pragma omp parallel for ordered(1)
	for (int i = 1; i < 12; i++) {
#pragma omp ordered depend(sink : i - 1)
		b[i] = a[i - 1];
#pragma omp ordered depend(source)
		a[i] = i;
	}
	return b[11] > 12;
}
