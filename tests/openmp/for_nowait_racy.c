/*
 * Without the barrier, the next loop reads what others still write.
 * race: 16 19
 */
#include <omp.h>
#include <stdlib.h>

int main(void)
{
	int a[16] = { 0 }, b[16] = { 0 };

#pragma omp parallel num_threads(4)
	{
#pragma omp for nowait schedule(dynamic)
		for (int i = 0; i < 16; i++)
			a[i] = i;
#pragma omp for schedule(dynamic)
		for (int i = 0; i < 16; i++)
			b[i] = a[15 - i];
	}
	return b[3] > 16;
}
