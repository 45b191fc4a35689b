/*
 * What a thread finds behind an ordered loop is what its own last ordered region and those before it left.
 * clean
 */
#include <omp.h>
#include <stdlib.h>

int main(void)
{
	int n = 0, at[9];

#pragma omp parallel num_threads(3)
	{
		int mine = 0;

#pragma omp for ordered nowait
		for (int i = 0; i < 9; i++) {
#pragma omp ordered
			{
				at[i] = n++;
				mine = i;
			}
		}
		if (at[mine] + at[0] != mine)
			abort();
	}
	return n != 9;
}
