/*
 * The same with a dynamic schedule.
 * race: 14 15
 */
#include <omp.h>
#include <stdlib.h>

int main(void)
{
	int best = 0;

#pragma omp parallel for num_threads(4) schedule(dynamic)
	for (int i = 0; i < 12; i++) {
		if (i > best)
			best = i;
	}
	return best > 12;
}
