/*
 * Reading what a later iteration writes is right in lanes; reading what an earlier one wrote is not.
 * clean
 */
#include <omp.h>

static int a[65];

int main(void)
{
	for (int i = 0; i < 65; i++)
		a[i] = i;
#pragma omp simd safelen(8)
	for (int i = 8; i < 64; i++)
		a[i] = a[i - 8] + 1;
	return a[0];
}
