/*
 * A region for which the program asks for one thread has nothing to race with.
 * clean
 */
#include <omp.h>

int main(void)
{
	const int threads = 1;
	int sum = 0;

#pragma omp parallel for num_threads(threads)
	for (int i = 0; i < 20; i++)
		sum += i;
	return sum != 190;
}
