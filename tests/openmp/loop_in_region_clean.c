/*
 * A loop construct closely nested in a region, and a loop of each thread's own behind it.
 * clean
 */
#include <omp.h>

static int cell[9], sum[2];

int main(void)
{
#pragma omp parallel num_threads(2)
	{
		int mine = 0;

#pragma omp loop
		for (int i = 0; i < 9; i++)
			cell[i] += i;
		for (int i = 0; i < 9; i++)
			mine += cell[i];
		sum[omp_get_thread_num()] = mine;
	}
	return sum[1] != 36;
}
