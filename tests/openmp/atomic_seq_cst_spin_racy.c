/*
 * A spin on a seq_cst flag waits for the data.
 * race: 14 24
 */
#include <omp.h>

int main(void)
{
	int flag = 0, data = 0, sum = 0;

#pragma omp parallel num_threads(2)
	{
		if (omp_get_thread_num() == 0) {
			data = 3;
#pragma omp atomic write
			flag = 1;
		} else {
			int seen = 0;

			while (!seen) {
#pragma omp atomic read
				seen = flag;
			}
			sum = data;
		}
	}
	return sum > 3;
}
