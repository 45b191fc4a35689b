/*
 * An array of the function's own, and one of each lane.
 * race: 15 15
 */
int n = 100;

int main(void)
{
	int a[n];

	for (int i = 0; i < n; i++)
		a[i] = i;
#pragma omp simd
	for (int i = 1; i < n; i++)
		a[i] = a[i - 1] + 1;
	n = a[n - 1];
	return n < 0;
}
