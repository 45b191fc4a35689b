/*
 * Each iteration reads what the one before writes.
 * clean
 */
#include <omp.h>
#include <stdlib.h>

int main(void)
{
	int a[20] = { 0 }, b[20];

#pragma omp parallel for num_threads(4)
	for (int i = 1; i < 20; i++)
		b[i] = a[i - 1] + 1;
	return b[19] < 0;
}
