/*
 * The greatest value by an atomic comparison, and by a test outside of the critical section.
 * clean
 */
#include <omp.h>

int main(void)
{
	int max = -1;

#pragma omp parallel for
	for (int i = 0; i < 64; i++) {
		int value = i * 37 % 101;

#pragma omp atomic compare
		if (value > max) { max = value; }
	}
	return max != 100;
}
