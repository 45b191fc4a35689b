/*
 * Each iteration reads what the one before writes.
 * race: 14 14
 */
#include <omp.h>
#include <stdlib.h>

int main(void)
{
	int a[20] = { 0 };

#pragma omp parallel for num_threads(4)
	for (int i = 1; i < 20; i++)
		a[i] = a[i - 1] + 1;
	return a[19] < 0;
}
