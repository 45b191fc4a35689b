/*
 * The next lane reads what a lane has not written yet.
 * race: 11 11
 */
int a[100];

int main(void)
{
#pragma omp simd
	for (int i = 0; i < 99; i++)
		a[i + 1] = a[i] + 1;
	return 0;
}
