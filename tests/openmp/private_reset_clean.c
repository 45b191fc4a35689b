/*
 * An index that each iteration sets anew, to another value.
 * clean
 */
#include <omp.h>
#include <stdlib.h>

int main(void)
{
	int out[16] = { 0 };

#pragma omp parallel
	{
		int k;

#pragma omp for
		for (int i = 0; i < 16; i++) {
			k = 15 - i;
			out[k] += i;
		}
	}
	return out[0] != 15;
}
