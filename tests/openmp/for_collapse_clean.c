/*
 * Two loops as one.
 * clean
 */
#include <omp.h>
#include <stdlib.h>

int main(void)
{
	int cell[4][4] = { { 0 } };

#pragma omp parallel for collapse(2) num_threads(4)
	for (int i = 0; i < 4; i++)
		for (int j = 0; j < 4; j++)
			cell[i][j] += j;
	return cell[0][0];
}
