/*
 * Critical sections of two names do not exclude each other.
 * clean
 */
#include <omp.h>

int main(void)
{
	int x = 0;

#pragma omp parallel num_threads(2)
	{
		if (omp_get_thread_num() == 0) {
#pragma omp critical(first)
			x++;
		} else {
#pragma omp critical(first)
			x--;
		}
	}
	return x;
}
