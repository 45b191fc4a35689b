/*
 * A loop construct in a region of one thread: its iterations may run at the same time all the same.
 * race: 18 18
 */
#include <omp.h>

static int cell[9], twice[9];

int main(void)
{
#pragma omp parallel num_threads(1)
	{
#pragma omp for
		for (int i = 0; i < 8; i++)
			cell[i + 1] = cell[i] + 1;
#pragma omp loop
		for (int i = 0; i < 9; i++)
			twice[i] = i ? twice[i - 1] + 2 : 0;
	}
	return twice[8] != 16;
}
