/*
 * A later statement of the next lane may read what an earlier one wrote; an earlier one may not.
 * clean
 */
int a[101], b[101];

int main(void)
{
#pragma omp simd
	for (int i = 1; i < 100; i++) {
		a[i] = i;
		b[i] = a[i - 1];
	}
	return 0;
}
