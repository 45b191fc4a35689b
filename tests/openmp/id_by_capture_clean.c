/*
 * Ids taken by an atomic capture are as good as thread numbers.
 * clean
 */
#include <omp.h>
#include <stdlib.h>

int main(void)
{
	int next = 0, slot[64] = { 0 };

#pragma omp parallel num_threads(4)
	{
		int id;

#pragma omp atomic capture
		id = next++;
#pragma omp for
		for (int i = 0; i < 12; i++)
			slot[id] += i;
	}
	return slot[0] < 0;
}
