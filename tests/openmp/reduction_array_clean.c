/*
 * Reduction over an array section.
 * clean
 */
#include <omp.h>
#include <stdlib.h>

int main(void)
{
	int h[3] = { 0 };

#pragma omp parallel for num_threads(4) reduction(+ : h[:3])
	for (int i = 0; i < 12; i++)
		h[i % 3] += 1;
	return h[0] - 4;
}
