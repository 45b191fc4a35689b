/*
 * A variable of each thread, filled from the master's.
 * clean
 */
#include <omp.h>
#include <stdlib.h>

static int mine;
#pragma omp threadprivate(mine)

int main(void)
{
	int sum = 0;

	mine = 3;
#pragma omp parallel num_threads(3) copyin(mine) reduction(+ : sum)
	{
		mine += omp_get_thread_num();
		sum += mine;
	}
	return sum - 12;
}
