/*
 * A loop construct in a region of one thread, whose iterations have nothing in common, behind a loop of
 * that thread's own in which they have.
 * clean
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
			twice[i] = 2 * cell[i];
	}
	return twice[8] != 16;
}
