/*
 * Lanes that are two apart: more than `safelen` allows to run together, or not.
 * race: 11 11
 */
int a[100];

int main(void)
{
#pragma omp simd safelen(4)
	for (int i = 2; i < 100; i++)
		a[i] = a[i - 2] + 1;
	return 0;
}
