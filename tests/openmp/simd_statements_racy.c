/*
 * A later statement of the next lane may read what an earlier one wrote; an earlier one may not.
 * race: 11 12
 */
int a[101], b[101];

int main(void)
{
#pragma omp simd
	for (int i = 1; i < 100; i++) {
		b[i] = a[i - 1];
		a[i] = i;
	}
	return 0;
}
