/*
 * What an iteration does after its ordered region is not before the next one's.
 * race: 16 16
 */
#include <omp.h>
#include <stdlib.h>

int main(void)
{
	int order[8], n = 0, last = 0;

#pragma omp parallel for ordered
	for (int i = 0; i < 8; i++) {
#pragma omp ordered
		order[n++] = i;
		last = i;
	}
	return order[last] > 8;
}
