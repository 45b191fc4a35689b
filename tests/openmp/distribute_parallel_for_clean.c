/*
 * The whole combined construct.
 * clean
 */
#include <omp.h>
#include <stdlib.h>

int main(void)
{
	int out[12] = { 0 };

#pragma omp target teams distribute parallel for num_teams(2) num_threads(2) map(tofrom : out)
	for (int i = 0; i < 12; i++)
		out[i]++;
	return out[0] - 1;
}
