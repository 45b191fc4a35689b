/*
 * A declared reduction.
 * race: 16 17
 */
#include <omp.h>
#include <stdlib.h>

struct pair { int lo, hi; };

int main(void)
{
	struct pair p = { 100, 0 };

#pragma omp parallel for num_threads(3)
	for (int i = 0; i < 9; i++) {
		if (i < p.lo)
			p.lo = i;
	}
	return p.lo > 100;
}
