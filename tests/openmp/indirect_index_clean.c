/*
 * An index array with one number twice.
 * clean
 */
#include <omp.h>

static int sum[32], index[32];

int main(void)
{
	for (int i = 0; i < 32; i++)
		index[i] = (i * 5) % 32;
#pragma omp parallel for num_threads(4)
	for (int i = 0; i < 32; i++)
		sum[index[i]] += i;
	return sum[0] < 0;
}
