/*
 * What stands in ordered is in order; what stands beside it is not.
 * race: 13 16
 */
#include <omp.h>

int main(void)
{
	int last = 0, sum = 0;

#pragma omp parallel for ordered num_threads(4) schedule(static, 1) reduction(+ : sum)
	for (int i = 0; i < 16; i++) {
		sum += last;
#pragma omp ordered
		{
			last = i;
		}
	}
	return sum < 0;
}
