/*
 * Each iteration prepares its box before its ordered region, and the next one takes it in its own.
 * clean
 */
#include <omp.h>
#include <stdlib.h>

int main(void)
{
	int box[9] = { 1 }, sum = 0;

#pragma omp parallel for ordered schedule(dynamic) reduction(+ : sum)
	for (int i = 0; i < 8; i++) {
		box[i + 1] = i;
#pragma omp ordered
		sum += box[i];
	}
	return sum != 1 + 21;
}
