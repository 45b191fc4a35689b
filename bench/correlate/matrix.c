/* Two threads multiply matrices: much arithmetic, no locks. */
#include <pthread.h>
#include <stdio.h>

#define N 120

static double a[N][N], b[N][N], c[N][N];

static void *work(void *arg)
{
	for (long i = (long)arg; i < N; i += 2) {
		for (int j = 0; j < N; j++) {
			double sum = 0;

			for (int k = 0; k < N; k++)
				sum += a[i][k] * b[k][j];
			c[i][j] = sum;
		}
	}
	return NULL;
}

int main(void)
{
	pthread_t t[2];

	for (int i = 0; i < N; i++) {
		for (int j = 0; j < N; j++) {
			a[i][j] = i + j;
			b[i][j] = i - j;
		}
	}
	for (long i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, work, (void *)i);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	printf("%f\n", c[3][7]);
	return 0;
}
