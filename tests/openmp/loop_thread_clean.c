/*
 * A loop construct inside an iteration, with memory for each of its iterations.
 * clean
 */
#include <omp.h>
#include <stdlib.h>

static int row[4][20];

int main(void)
{
#pragma omp parallel for num_threads(2)
	for (int i = 0; i < 4; i++) {
#pragma omp loop
		for (int j = 0; j < 20; j++) {
			int *p = malloc(sizeof(*p)), twice;

			*p = j;
			twice = 2 * *p;
			row[i][j] = twice;
			free(p);
		}
	}
	return row[3][19] != 38;
}
