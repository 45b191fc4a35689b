/*
 * A league of teams on the host.
 * clean
 */
#include <omp.h>
#include <stdlib.h>

int main(void)
{
	int sum = 0;

#pragma omp target map(tofrom : sum)
#pragma omp teams distribute num_teams(3) reduction(+ : sum)
	for (int i = 0; i < 9; i++)
		sum += i;
	return sum - 36;
}
