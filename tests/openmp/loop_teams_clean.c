/*
 * A loop construct in a league, with a reduction.
 * clean
 */
#include <omp.h>

static int value[30];

int main(void)
{
	int biggest = 0;

#pragma omp teams num_teams(2) reduction(max : biggest)
#pragma omp loop reduction(max : biggest)
	for (int i = 0; i < 30; i++) {
		value[i] = i;
		if (value[i] > biggest)
			biggest = i;
	}
	return biggest != 29;
}
