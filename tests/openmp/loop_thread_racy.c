/*
 * A loop construct inside an iteration: its own iterations come in any order, too.
 * race: 15 15
 */
#include <omp.h>

static int row[4][20];

int main(void)
{
#pragma omp parallel for num_threads(2)
	for (int i = 0; i < 4; i++) {
#pragma omp loop bind(thread)
		for (int j = 0; j < 19; j++)
			row[i][j + 1] = row[i][j] + 1;
	}
	return row[0][19] > 19;
}
