/*
 * A variable that all lanes use in between, shared or private.
 * clean
 */
int a[100], b[100];

int main(void)
{
	int t;

#pragma omp simd private(t)
	for (int i = 0; i < 100; i++) {
		t = a[i];
		a[i] = b[i];
		b[i] = t;
	}
	return 0;
}
