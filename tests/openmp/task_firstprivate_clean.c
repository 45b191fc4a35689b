/*
 * A task that uses its parent's variable after the parent has left the block.
 * clean
 */
#include <omp.h>
#include <stdlib.h>

int main(void)
{
	int sum = 0;

#pragma omp parallel num_threads(2)
#pragma omp single
	for (int i = 0; i < 3; i++) {
		int t = i;

#pragma omp task firstprivate(t) shared(sum)
		{
			int mine = t++;

#pragma omp atomic
			sum += mine;
		}
		t = 5;
	}
	return sum - 3;
}
