/*
 * A sum over lanes, with and without a reduction.
 * clean
 */
int a[100], sum;

int main(void)
{
#pragma omp simd reduction(+ : sum)
	for (int i = 0; i < 100; i++)
		sum += a[i];
	return 0;
}
