/*
 * A flag that is set in a critical section and polled in one orders what is around.
 * race: 16 24
 */
#include <omp.h>

int main(void)
{
	int flag = 0, data = 0, sum = 0;

#pragma omp parallel num_threads(2)
	{
		if (omp_get_thread_num() == 0) {
#pragma omp critical
			flag = 1;
			data = 42;
		} else {
			int seen = 0;

			while (!seen) {
#pragma omp critical
				seen = flag;
			}
			sum = data;
		}
	}
	return sum > 42;
}
