/*
 * Arrays of a relaxation change places: each thread's own pointers, or shared ones while others
 * read.
 * race: 17 22 23
 */
#include <omp.h>

static double first[32], second[32], *from = first, *to = second;

int main(void)
{
	first[0] = second[0] = 1;
#pragma omp parallel num_threads(3)
	for (int k = 0; k < 4; k++) {
#pragma omp for nowait
		for (int i = 1; i < 31; i++)
			to[i] = (from[i - 1] + from[i + 1]) / 2;
#pragma omp single
		{
			double *t = from;

			from = to;
			to = t;
		}
	}
	return first[1] > 1;
}
