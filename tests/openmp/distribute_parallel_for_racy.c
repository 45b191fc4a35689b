/*
 * The whole combined construct.
 * race: 14 14
 */
#include <omp.h>
#include <stdlib.h>

int main(void)
{
	int hist[3] = { 0 };

#pragma omp target teams distribute parallel for num_teams(2) num_threads(2) map(tofrom : hist)
	for (int i = 0; i < 12; i++)
		hist[i % 3]++;
	return hist[0] > 12;
}
