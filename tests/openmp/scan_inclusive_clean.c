/*
 * A prefix sum by scan, or through a shared variable.
 * clean
 */
#include <omp.h>

static int a[32], out[32];

int main(void)
{
	int sum = 0;

	for (int i = 0; i < 32; i++)
		a[i] = i;
#pragma omp parallel for num_threads(4) reduction(inscan, + : sum)
	for (int i = 0; i < 32; i++) {
		sum += a[i];
#pragma omp scan inclusive(sum)
		out[i] = sum;
	}
	return out[31] < 0;
}
