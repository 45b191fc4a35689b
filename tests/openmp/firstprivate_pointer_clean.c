/*
 * A private pointer to shared memory is no private memory.
 * clean
 */
#include <omp.h>
#include <stdlib.h>

int main(void)
{
	int x[3] = { 0 }, *p = x;

#pragma omp parallel num_threads(3) firstprivate(p)
	p[omp_get_thread_num()] = 1;
	return x[0] > 3;
}
