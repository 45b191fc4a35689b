/*
 * A private pointer to shared memory is no private memory.
 * race: 13 13
 */
#include <omp.h>
#include <stdlib.h>

int main(void)
{
	int x = 0, *p = &x;

#pragma omp parallel num_threads(3) firstprivate(p)
	*p = omp_get_thread_num();
	return x > 3;
}
