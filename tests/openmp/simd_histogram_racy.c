/*
 * Lanes that add to the same bin, or each to its own.
 * race: 11 11
 */
int bins[4], own[100], v[100];

int main(void)
{
#pragma omp simd
	for (int i = 0; i < 100; i++)
		bins[v[i] & 3]++;
	return 0;
}
