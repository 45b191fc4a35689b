/*
 * A three-point stencil over an array, two threads, a barrier after each sweep.
 *
 *   stencil [SWEEPS [CELLS]]      prints the sum of the array
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static double *from, *to;
static size_t cells, sweeps;
static pthread_barrier_t barrier;

static void sweep(size_t first, size_t end)
{
	for (size_t i = first; i < end; i++)
		to[i] = (from[i - 1] + from[i] + from[i + 1]) / 3;
}

static void *half(void *arg)
{
	size_t second = (size_t)arg, middle = cells / 2;

	for (size_t s = 0; s < sweeps; s++) {
		sweep(second ? middle : 1, second ? cells - 1 : middle);
		/* The one who comes last swaps while the other waits. */
		if (pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD) {
			double *t = from;

			from = to;
			to = t;
		}
		pthread_barrier_wait(&barrier);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t other;
	double sum = 0;

	sweeps = argc > 1 ? strtoull(argv[1], NULL, 10) : 400;
	cells = argc > 2 ? strtoull(argv[2], NULL, 10) : 20000;
	from = calloc(cells, sizeof(*from));
	to = calloc(cells, sizeof(*to));
	if (!from || !to || cells < 4)
		return 1;
	from[cells / 2] = to[cells / 2] = 1000;
	pthread_barrier_init(&barrier, NULL, 2);
	pthread_create(&other, NULL, half, (void *)1);
	half((void *)0);
	pthread_join(other, NULL);
	for (size_t i = 0; i < cells; i++)
		sum += from[i];
	printf("%.6f\n", sum);
	free(from);
	free(to);
	return 0;
}
