/*
 * Only two of the iterations touch the same element, and they are far apart.
 * clean
 */
#include <omp.h>
#include <stdlib.h>

int main(void)
{
	int a[32] = { 0 };

#pragma omp parallel for num_threads(2) schedule(static)
	for (int i = 0; i < 32; i++) {
		if (i == 20)
			a[20] = 1;
		else if (i == 7)
			a[7] = 2;
	}
	return a[7] > 2;
}
