/*
 * Matrix product: long rows of reads that no other thread disturbs, few writes.
 * Each of two threads computes half of the rows.
 *
 *   matrix [N]      N x N matrices; prints a sum over the product
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

struct product {
	const double *a, *b;
	double *c;
	size_t n;
};

struct share {
	const struct product *p;
	size_t first, end; /* rows */
};

static void *multiply(void *arg)
{
	const struct share *s = arg;
	const struct product *p = s->p;

	for (size_t i = s->first; i < s->end; i++) {
		for (size_t j = 0; j < p->n; j++) {
			double sum = 0;

			for (size_t k = 0; k < p->n; k++)
				sum += p->a[i * p->n + k] * p->b[k * p->n + j];
			p->c[i * p->n + j] = sum;
		}
	}
	return NULL;
}

/* Small whole numbers: the sum is exact, so every build must print the same. */
static double *new_matrix(size_t n, size_t step)
{
	double *m = malloc(n * n * sizeof(*m));

	if (!m)
		exit(1);
	for (size_t i = 0; i < n * n; i++)
		m[i] = (double)(i * step % 11);
	return m;
}

int main(int argc, char **argv)
{
	size_t n = argc > 1 ? strtoull(argv[1], NULL, 10) : 400;
	double *a = new_matrix(n, 3), *b = new_matrix(n, 5), *c = new_matrix(n, 0), sum = 0;
	struct product p = {a, b, c, n};
	struct share half[2] = {{&p, 0, n / 2}, {&p, n / 2, n}};
	pthread_t thread[2];

	for (int i = 0; i < 2; i++)
		if (pthread_create(&thread[i], NULL, multiply, &half[i]))
			return 1;
	for (int i = 0; i < 2; i++)
		pthread_join(thread[i], NULL);
	for (size_t i = 0; i < n * n; i++)
		sum += c[i];
	printf("matrix %zu: %.0f\n", n, sum);
	free(a);
	free(b);
	free(c);
	return 0;
}
