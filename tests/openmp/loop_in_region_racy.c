/*
 * A loop construct closely nested in a region, without a clause: neighbours that one thread has race as well.
 * race: 15 15
 */
#include <omp.h>

static int cell[9];

int main(void)
{
#pragma omp parallel num_threads(1)
	{
#pragma omp loop
		for (int i = 0; i < 8; i++)
			cell[i] = cell[i + 1] + 1;
	}
	return cell[0] < 0;
}
