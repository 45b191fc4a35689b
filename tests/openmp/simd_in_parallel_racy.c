/*
 * Rows in parallel, lanes in each.
 * race: 13 13
 */
int a[4][100];

int main(void)
{
#pragma omp parallel for
	for (int t = 0; t < 4; t++)
#pragma omp simd
		for (int i = 1; i < 100; i++)
			a[t][i] = a[t][i - 1] + t;
	return 0;
}
