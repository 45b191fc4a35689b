/*
 * Tasks of a region of one thread take turns, wherever they wait; those of two threads do not.
 * clean
 */
#include <omp.h>

int main(void)
{
	int x = 0;

#pragma omp parallel num_threads(1)
	{
#pragma omp task shared(x)
		x++;
#pragma omp task shared(x) if (0)
		{
#pragma omp task shared(x)
			x++;
#pragma omp taskwait
			x++;
		}
		x++;
#pragma omp taskyield
		x++;
#pragma omp taskloop shared(x)
		for (int i = 0; i < 5; i++)
			x++;
	}
	return x != 10;
}
