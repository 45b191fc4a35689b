/*
 * All that is shared is in the ordered region.
 * clean
 */
#include <omp.h>
#include <stdlib.h>

int main(void)
{
	int order[8], n = 0, last = 0;

#pragma omp parallel for ordered
	for (int i = 0; i < 8; i++) {
#pragma omp ordered
		{
			order[n++] = i;
			last = i;
		}
	}
	return n != 8 || last != 7 || order[7] != 7;
}
