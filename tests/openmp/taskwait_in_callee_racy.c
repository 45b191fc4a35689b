/*
 * A taskwait in a called function waits for what the caller made before, as it is the same
 * task.
 * race: 24 26
 */
#include <omp.h>

static int x;

static void wait_for_all(void)
{
#pragma omp task
	{
#pragma omp taskwait
	}
}

int main(void)
{
#pragma omp parallel
#pragma omp single
	{
#pragma omp task
		x = 1;
		wait_for_all();
		x = 2;
	}
	return x > 2;
}
