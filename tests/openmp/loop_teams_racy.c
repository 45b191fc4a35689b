/*
 * The iterations of a loop construct in a league belong to nobody in particular.
 * race: 14 14
 */
#include <omp.h>

static int biggest;

int main(void)
{
#pragma omp target teams loop map(tofrom : biggest) num_teams(2)
	for (int i = 0; i < 30; i++)
		if (i == 11 || i == 12)
			biggest = i;
	return biggest > 12;
}
