/*
 * A league of one team shares nothing out.
 * clean
 */
#include <omp.h>

int main(void)
{
	int x = 0;

#pragma omp teams num_teams(1)
	{
		x++;
#pragma omp distribute
		for (int i = 0; i < 10; i++)
			x += i;
	}
	return x != 46;
}
