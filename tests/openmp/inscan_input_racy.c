/*
 * Running totals by scan, and a shared count in the part before the scan.
 * race: 18 18
 */
#include <omp.h>

static int price[40], total[40], dear;

int main(void)
{
	int sum = 0;

	for (int i = 0; i < 40; i++)
		price[i] = i;
#pragma omp parallel for reduction(inscan, + : sum) num_threads(2)
	for (int i = 0; i < 40; i++) {
		if (price[i] == 3 || price[i] == 4)
			dear++;
		sum += price[i];
#pragma omp scan inclusive(sum)
		total[i] = sum;
	}
	return total[39] != 780;
}
