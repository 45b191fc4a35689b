/*
 * Static schedule with a chunk size.
 * clean
 */
#include <omp.h>
#include <stdlib.h>

int main(void)
{
	int a[24] = { 0 };

#pragma omp parallel for num_threads(3) schedule(static, 4)
	for (int i = 0; i < 23; i++)
		a[i] = a[i] + 1;
	return a[0] - 1;
}
