/*
 * Iterations of a loop construct that have nothing to do with each other.
 * clean
 */
#include <omp.h>
#include <stdlib.h>

int main(void)
{
	int a[16] = { 1 }, sum = 0;

#pragma omp parallel loop reduction(+ : sum)
	for (int i = 1; i < 16; i++) {
		a[i] = i;
		sum += i;
	}
	return a[15] != 15 || sum != 120;
}
