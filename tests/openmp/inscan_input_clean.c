/*
 * Running totals by scan; the count in the part before the scan is atomic, and each iteration has scratch memory.
 * clean
 */
#include <omp.h>
#include <stdlib.h>

static int price[40], total[40], dear, cheap;

int main(void)
{
	int sum = 0;

	for (int i = 0; i < 40; i++)
		price[i] = i;
#pragma omp parallel for reduction(inscan, + : sum) num_threads(2)
	for (int i = 0; i < 40; i++) {
		int *copy = malloc(sizeof(*copy));

		*copy = price[i];
		if (*copy == 3 || *copy == 4) {
#pragma omp atomic
			dear++;
		} else {
#pragma omp critical
			cheap++;
		}
		sum += *copy;
		free(copy);
#pragma omp scan inclusive(sum)
		total[i] = sum;
	}
	return total[39] != 780 || dear != 2 || cheap != 38;
}
