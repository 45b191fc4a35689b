/*
 * Only some iterations have an ordered region, and all of them that use what is shared do it there.
 * clean
 */
#include <omp.h>
#include <stdlib.h>

int main(void)
{
	int n = 0;

#pragma omp parallel for ordered schedule(static, 1)
	for (int i = 0; i < 12; i++) {
		if (i % 3 == 0 || i == 7) {
#pragma omp ordered
			n++;
		}
	}
	return n != 5;
}
