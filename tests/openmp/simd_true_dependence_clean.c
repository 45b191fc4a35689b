/*
 * The next lane reads what a lane has not written yet.
 * clean
 */
int a[100];

int main(void)
{
#pragma omp simd
	for (int i = 0; i < 99; i++)
		a[i] = a[i + 1] + 1;
	return 0;
}
