/*
 * libc sorts two parts of an array, which have one element in common.
 * clean
 */
#include <stdlib.h>

static int a[40];

static int compare(const void *x, const void *y)
{
	return *(const int *)x - *(const int *)y;
}

int main(void)
{
	for (int i = 0; i < 40; i++)
		a[i] = i * 17 % 41;
#pragma omp parallel sections
	{
#pragma omp section
		qsort(a, 20, sizeof(int), compare);
#pragma omp section
		qsort(a + 20, 20, sizeof(int), compare);
	}
	return a[0] < 0;
}
