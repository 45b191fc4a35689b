/*
 * A league of one team shares nothing out.
 * race: 15 15
 */
#include <omp.h>

int main(void)
{
	int x = 0;

#pragma omp teams num_teams(2)
	{
#pragma omp distribute
		for (int i = 0; i < 10; i++)
			x += i;
	}
	return x < 0;
}
