/*
 * Reading what a later iteration writes is right in lanes; reading what an earlier one wrote is not.
 * race: 15 15
 */
#include <omp.h>

static int a[65];

int main(void)
{
	for (int i = 0; i < 65; i++)
		a[i] = i;
#pragma omp simd
	for (int i = 2; i < 64; i++)
		a[i] = a[i - 2] + 1;
	return a[0];
}
