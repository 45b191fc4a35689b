/*
 * A prefix sum by scan, or through a shared variable.
 * race: 17 18
 */
#include <omp.h>

static int a[32], out[32];

int main(void)
{
	int sum = 0;

	for (int i = 0; i < 32; i++)
		a[i] = i;
#pragma omp parallel for num_threads(4)
	for (int i = 0; i < 32; i++) {
		sum += a[i];
		out[i] = sum;
	}
	return out[31] < 0;
}
