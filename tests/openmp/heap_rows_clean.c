/*
 * Rows on the heap: one for each iteration, or one for all.
 * clean
 */
#include <omp.h>
#include <stdlib.h>

int main(void)
{
	int *row[8];

	for (int i = 0; i < 8; i++)
		row[i] = calloc(4, sizeof(int));
#pragma omp parallel for num_threads(4)
	for (int i = 0; i < 8; i++)
		row[i][1] = i;
	for (int i = 0; i < 8; i++) {
		free(row[i]);
	}
	return 0;
}
