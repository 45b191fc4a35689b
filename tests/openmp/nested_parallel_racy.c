/*
 * The inner team's threads write what the outer thread keeps for itself.
 * race: 18 18
 */
#include <omp.h>
#include <stdlib.h>

int main(void)
{
	int sum = 0;

	omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
	{
		int mine = 0;

#pragma omp parallel num_threads(2) shared(mine)
		mine++;
#pragma omp atomic
		sum += mine;
	}
	return sum < 0;
}
