/*
 * A barrier waits for all tasks of the team.
 * race: 17 19
 */
#include <omp.h>
#include <stdlib.h>

int main(void)
{
	int x = 0, y[2] = { 0 };

#pragma omp parallel num_threads(2)
	{
#pragma omp single nowait
		{
#pragma omp task shared(x)
			x = 1;
		}
		y[omp_get_thread_num()] = x;
	}
	return y[0] > 1;
}
