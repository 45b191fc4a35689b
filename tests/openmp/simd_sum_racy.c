/*
 * A sum over lanes, with and without a reduction.
 * race: 11 11
 */
int a[100], sum;

int main(void)
{
#pragma omp simd
	for (int i = 0; i < 100; i++)
		sum += a[i];
	return 0;
}
