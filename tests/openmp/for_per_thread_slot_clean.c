/*
 * A slot for each thread is not shared, one too few is.
 * clean
 */
#include <omp.h>
#include <stdlib.h>

int main(void)
{
	int slot[64] = { 0 };

#pragma omp parallel for num_threads(4) schedule(static, 1)
	for (int i = 0; i < 12; i++)
		slot[omp_get_thread_num()] += i;
	return slot[0] < 0;
}
