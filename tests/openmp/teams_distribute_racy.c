/*
 * A league of teams on the host.
 * race: 15 15
 */
#include <omp.h>
#include <stdlib.h>

int main(void)
{
	int sum = 0;

#pragma omp target map(tofrom : sum)
#pragma omp teams distribute num_teams(3)
	for (int i = 0; i < 9; i++)
		sum += i;
	return sum < 0;
}
