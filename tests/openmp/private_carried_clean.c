/*
 * Each thread collects in the place of the first iteration that it got.
 * clean
 */
#include <omp.h>
#include <stdlib.h>

int main(void)
{
	int out[16] = { 0 }, sum = 0;

#pragma omp parallel
	{
		int first = -1;

#pragma omp for
		for (int i = 0; i < 16; i++) {
			if (first < 0)
				first = i;
			out[first] += i;
		}
	}
	for (int i = 0; i < 16; i++)
		sum += out[i];
	return sum != 120;
}
