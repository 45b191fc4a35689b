/*
 * A critical section excludes the threads of one team from each other, not those of another team.
 * race: 15 15
 */
#include <omp.h>
#include <stdlib.h>

int main(void)
{
	int sum = 0;

#pragma omp teams distribute parallel for num_teams(2)
	for (int i = 0; i < 8; i++) {
#pragma omp critical
		sum += i;
	}
	return sum < 0;
}
