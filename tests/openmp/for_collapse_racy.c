/*
 * Two loops as one.
 * race: 15 15
 */
#include <omp.h>
#include <stdlib.h>

int main(void)
{
	int row[4] = { 0 };

#pragma omp parallel for collapse(2) num_threads(4)
	for (int i = 0; i < 4; i++)
		for (int j = 0; j < 4; j++)
			row[i] += j;
	return row[0] < 0;
}
