/*
 * Critical sections of different names do not exclude each other.
 * clean
 */
#include <omp.h>
#include <stdlib.h>

int main(void)
{
	int x = 0;

#pragma omp parallel num_threads(2)
	{
		if (omp_get_thread_num()) {
#pragma omp critical(one)
			x++;
		} else {
#pragma omp critical(one)
			x++;
		}
	}
	return x - 2;
}
