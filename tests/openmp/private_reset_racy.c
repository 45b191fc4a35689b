/*
 * An index that each iteration sets anew: iterations of one thread are told apart all the same.
 * race: 19 19
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
			k = i / 2;
			out[k] += i;
		}
	}
	return out[0] > 16;
}
