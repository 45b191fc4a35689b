/*
 * Diagonals of a matrix, each after the one before, or not.
 * clean
 */
#define N 12

static int m[N + 1][N + 1];

static int most(int a, int b, int c)
{
	int ab = a > b ? a : b;

	return ab > c ? ab : c;
}

int main(void)
{
	for (int i = 0; i <= N; i++)
		m[i][0] = m[0][i] = -i;
#pragma omp parallel
	for (int d = 2; d <= 2 * N; d++) {
		int low = d - N > 1 ? d - N : 1, high = d - 1 < N ? d - 1 : N;

#pragma omp for
		for (int i = low; i <= high; i++)
			m[i][d - i] = most(m[i - 1][d - i - 1] + i % 3, m[i - 1][d - i] - 1, m[i][d - i - 1] - 1);
	}
	return m[N][N] > N;
}
