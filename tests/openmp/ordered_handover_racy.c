/*
 * Data is handed over through the ordered region, but some is taken before it.
 * race: 14 17
 */
#include <omp.h>
#include <stdlib.h>

int main(void)
{
	int box[9] = { 1 }, sum = 0;

#pragma omp parallel for ordered schedule(dynamic) reduction(+ : sum)
	for (int i = 0; i < 8; i++) {
		sum += i % 2 ? box[i] : 0;
#pragma omp ordered
		sum += box[i];
		box[i + 1] = i;
	}
	return sum < 0;
}
