/* LU factors of a matrix of blocks, tasks ordered by what they read and write: sparselu [BLOCKS]. */
#include <stdio.h>
#include <stdlib.h>

#define B 4

static double a[16][16][B][B];

static void factor(double (*d)[B])
{
	for (int k = 0; k < B; k++)
		for (int i = k + 1; i < B; i++) {
			d[i][k] /= d[k][k];
			for (int j = k + 1; j < B; j++)
				d[i][j] -= d[i][k] * d[k][j];
		}
}

static void forward(double (*d)[B], double (*r)[B])
{
	for (int k = 0; k < B; k++)
		for (int i = k + 1; i < B; i++)
			for (int j = 0; j < B; j++)
				r[i][j] -= d[i][k] * r[k][j];
}

static void divide(double (*d)[B], double (*c)[B])
{
	for (int i = 0; i < B; i++)
		for (int k = 0; k < B; k++) {
			c[i][k] /= d[k][k];
			for (int j = k + 1; j < B; j++)
				c[i][j] -= c[i][k] * d[k][j];
		}
}

static void update(double (*c)[B], double (*r)[B], double (*m)[B])
{
	for (int i = 0; i < B; i++)
		for (int j = 0; j < B; j++)
			for (int k = 0; k < B; k++)
				m[i][j] -= c[i][k] * r[k][j];
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 4;
	double sum = 0;

	for (int i = 0; i < n * n * B * B; i++)
		a[i / (B * B) / n][i / (B * B) % n][i % (B * B) / B][i % B] = 1.0 / (1 + i % 7) + (i % 5);
	for (int i = 0; i < n; i++)
		for (int j = 0; j < B; j++)
			a[i][i][j][j] += 100;
#pragma omp parallel
#pragma omp single
	for (int k = 0; k < n; k++) {
#pragma omp task depend(inout : a[k][k])
		factor(a[k][k]);
		for (int j = k + 1; j < n; j++)
#pragma omp task depend(in : a[k][k]) depend(inout : a[k][j])
			forward(a[k][k], a[k][j]);
		for (int i = k + 1; i < n; i++) {
#pragma omp task depend(in : a[k][k]) depend(inout : a[i][k])
			divide(a[k][k], a[i][k]);
			for (int j = k + 1; j < n; j++)
#pragma omp task depend(in : a[i][k], a[k][j]) depend(inout : a[i][j])
				update(a[i][k], a[k][j], a[i][j]);
		}
	}
	for (int i = 0; i < n; i++)
		for (int j = 0; j < n; j++)
			for (int k = 0; k < B * B; k++)
				sum += a[i][j][k / B][k % B] * (i + 2 * j + k);
	printf("%.9e\n", sum);
	return 0;
}
