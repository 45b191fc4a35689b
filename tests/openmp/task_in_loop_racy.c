/*
 * Tasks made by the threads of a loop.
 * race: 15 15
 */
#include <omp.h>
#include <stdlib.h>

int main(void)
{
	int last = -1;

#pragma omp parallel for num_threads(3)
	for (int i = 0; i < 6; i++) {
#pragma omp task shared(last) firstprivate(i)
		last = i;
	}
	return last > 6;
}
