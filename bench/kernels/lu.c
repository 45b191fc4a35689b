/*
 * LU decomposition without pivoting, two threads, a barrier after each column.
 *
 *   lu [SIZE]      prints the sum of the result
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static double *a;
static int n;
static pthread_barrier_t barrier;

static void eliminate(int k, int first)
{
	for (int i = first; i < n; i += 2) {
		double f = a[i * n + k] / a[k * n + k];

		a[i * n + k] = f;
		for (int j = k + 1; j < n; j++)
			a[i * n + j] -= f * a[k * n + j];
	}
}

static void *half(void *arg)
{
	int second = arg != NULL;

	for (int k = 0; k < n - 1; k++) {
		eliminate(k, k + 1 + second);
		pthread_barrier_wait(&barrier);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t other;
	double sum = 0;

	n = argc > 1 ? atoi(argv[1]) : 400;
	a = malloc(sizeof(*a) * (size_t)n * (size_t)n);
	if (!a)
		return 1;
	for (int i = 0; i < n * n; i++)
		a[i] = i % 17 + (i % (n + 1) ? 0 : 50);
	pthread_barrier_init(&barrier, NULL, 2);
	pthread_create(&other, NULL, half, a);
	half(NULL);
	pthread_join(other, NULL);
	for (int i = 0; i < n * n; i++)
		sum += a[i];
	printf("%.6f\n", sum);
	free(a);
	return 0;
}
