/*
 * Two loops whose iterations are lanes.
 * race: 12 12
 */
int a[9][9];

int main(void)
{
#pragma omp simd collapse(2)
	for (int i = 0; i < 8; i++)
		for (int j = 0; j < 8; j++)
			a[i + 1][j] = a[i][j] + 1;
	return 0;
}
