/*
 * Tasks made by the threads of a loop.
 * clean
 */
#include <omp.h>
#include <stdlib.h>

int main(void)
{
	int out[6];

#pragma omp parallel for num_threads(3)
	for (int i = 0; i < 6; i++) {
#pragma omp task shared(out) firstprivate(i)
		out[i] = i;
	}
	return out[0];
}
