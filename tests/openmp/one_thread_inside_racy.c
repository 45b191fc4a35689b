/*
 * With one active level an inner region has one thread, but there is one for each outer one.
 * race: 15 15
 */
#include <omp.h>

int main(void)
{
	int calls = 0;

	omp_set_max_active_levels(1);
#pragma omp parallel num_threads(3)
	{
#pragma omp parallel num_threads(4)
		calls++;
	}
	return calls < 0;
}
