/*
 * Tasks of a region of one thread take turns, wherever they wait; those of two threads do not.
 * race: 15 19
 */
#include <omp.h>

int main(void)
{
	int x = 0;

#pragma omp parallel num_threads(2)
#pragma omp single
	{
#pragma omp task shared(x)
		x++;
#pragma omp task shared(x) if (0)
		{
#pragma omp task shared(x)
			x++;
#pragma omp taskwait
		}
	}
	return x < 0;
}
