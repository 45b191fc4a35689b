/*
 * Arrays of a relaxation change places: each thread's own pointers, or shared ones while others
 * read.
 * clean
 */
#include <omp.h>

static double first[32], second[32];

int main(void)
{
	first[0] = second[0] = 1;
#pragma omp parallel num_threads(3)
	{
		double *from = first, *to = second;

		for (int k = 0; k < 4; k++) {
			double *t = from;

#pragma omp for
			for (int i = 1; i < 31; i++)
				to[i] = (from[i - 1] + from[i + 1]) / 2;
			from = to;
			to = t;
		}
	}
	return first[1] > 1;
}
