/*
 * Only some iterations have an ordered region.
 * race: 16 18
 */
#include <omp.h>
#include <stdlib.h>

int main(void)
{
	int n = 0;

#pragma omp parallel for ordered schedule(static, 1)
	for (int i = 0; i < 12; i++) {
		if (i % 3 == 0) {
#pragma omp ordered
			n++;
		} else if (i == 7) {
			n += 2;
		}
	}
	return n > 100;
}
