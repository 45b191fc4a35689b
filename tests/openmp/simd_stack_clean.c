/*
 * An array of the function's own, and one of each lane.
 * clean
 */
int n = 100;

int main(void)
{
	int a[n];

	for (int i = 0; i < n; i++)
		a[i] = i;
#pragma omp simd
	for (int i = 1; i < n; i++) {
		int own[2] = { a[i], i };

		a[i] = own[0] + own[1];
	}
	n = a[n - 1];
	return n < 0;
}
