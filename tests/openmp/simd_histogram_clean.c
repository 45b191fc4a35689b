/*
 * Lanes that add to the same bin, or each to its own.
 * clean
 */
int bins[4], own[100], v[100];

int main(void)
{
#pragma omp simd
	for (int i = 0; i < 100; i++)
		own[i] += bins[v[i] & 3];
	return 0;
}
