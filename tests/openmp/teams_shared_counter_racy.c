/*
 * Teams have no barrier between them, nor a common reduction unless there is one.
 * race: 12 12
 */
#include <omp.h>

int main(void)
{
	int n = 0;

#pragma omp teams num_teams(3)
	n += 1;
	return n < 0;
}
