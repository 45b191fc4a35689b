/*
 * A variable of each thread, filled from the master's.
 * race: 17 17
 */
#include <omp.h>
#include <stdlib.h>

static int mine;

int main(void)
{
	int sum = 0;

	mine = 3;
#pragma omp parallel num_threads(3) reduction(+ : sum)
	{
		mine += omp_get_thread_num();
		sum += 1;
	}
	return sum - 3 + (mine < 0);
}
