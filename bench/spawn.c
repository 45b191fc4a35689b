/*
 * Makes N empty tasks and waits for them: one at a time, or a hundred in a finish.
 *
 * usage: spawn N BATCH. With -DOPENMP tasks of OpenMP, else of heddle/hj.h.
 */
#include <stdio.h>
#include <stdlib.h>

#ifdef OPENMP
#include <omp.h>
#else
#include <heddle/hj.h>
#endif

static long count, batch;

static void empty(void *arg)
{
	(void)arg;
	__asm__ volatile("");
}

#ifdef OPENMP
static void run(void)
{
#pragma omp parallel
#pragma omp single
	for (long i = 0; i < count; i += batch) {
		for (long k = 0; k < batch; k++) {
#pragma omp task
			empty(NULL);
		}
#pragma omp taskwait
	}
}
#else
static void root(void *arg)
{
	(void)arg;
	for (long i = 0; i < count; i += batch) {
		hj_finish_begin();
		for (long k = 0; k < batch; k++)
			hj_async(empty, NULL);
		hj_finish_end();
	}
}

static void run(void)
{
	hj_launch(root, NULL);
}
#endif

int main(int argc, char **argv)
{
	if (argc < 3)
		return 2;
	count = atol(argv[1]);
	batch = atol(argv[2]);
	run();
	return 0;
}
