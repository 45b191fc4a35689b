/*
 * A barrier in a function that all call.
 * race: 18 20
 */
#include <omp.h>

static int ready, sum;

static void meet(void)
{
}

int main(void)
{
#pragma omp parallel num_threads(3) reduction(+ : sum)
	{
		if (omp_get_thread_num() == 0)
			ready = 1;
		meet();
		sum += ready;
	}
	return sum > 3;
}
