/*
 * Threads collect in the place of the first iteration that they got, and one of them in that of another.
 * race: 20 20
 */
#include <omp.h>
#include <stdlib.h>

int main(void)
{
	int out[16] = { 0 };

#pragma omp parallel num_threads(4)
	{
		int first = -1;

#pragma omp for
		for (int i = 0; i < 16; i++) {
			if (first < 0)
				first = i == 12 ? 0 : i;
			out[first] += i;
		}
	}
	return out[0] < 0;
}
