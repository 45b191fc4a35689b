/*
 * A declared reduction.
 * clean
 */
#include <omp.h>
#include <stdlib.h>

struct pair { int lo, hi; };
#pragma omp declare reduction(span : struct pair : omp_out.lo = omp_in.lo < omp_out.lo ? omp_in.lo : omp_out.lo) initializer(omp_priv = { 100, 0 })

int main(void)
{
	struct pair p = { 100, 0 };

#pragma omp parallel for num_threads(3) reduction(span : p)
	for (int i = 0; i < 9; i++) {
		if (i < p.lo)
			p.lo = i;
	}
	return p.lo;
}
