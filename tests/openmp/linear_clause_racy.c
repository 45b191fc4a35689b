/*
 * A linear variable is each iteration's own; a shared one is not.
 * race: 14 14
 */
#include <omp.h>

int main(void)
{
	int a[32] = { 0 }, j = 0;

#pragma omp parallel for num_threads(4)
	for (int i = 0; i < 16; i++) {
		a[i] = j;
		j += 2;
	}
	return a[0] < 0;
}
