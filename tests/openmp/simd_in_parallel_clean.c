/*
 * Rows in parallel, lanes in each.
 * clean
 */
int a[4][100];

int main(void)
{
#pragma omp parallel for
	for (int t = 0; t < 4; t++)
#pragma omp simd
		for (int i = 0; i < 100; i++)
			a[t][i] += t;
	return 0;
}
