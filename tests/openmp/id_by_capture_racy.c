/*
 * Ids taken by an atomic capture are as good as thread numbers.
 * race: 20 20
 */
#include <omp.h>
#include <stdlib.h>

int main(void)
{
	int next = 0, slot[2] = { 0 };

#pragma omp parallel num_threads(4)
	{
		int id;

#pragma omp atomic capture
		id = next++;
#pragma omp for
		for (int i = 0; i < 12; i++)
			slot[id / 2] += i;
	}
	return slot[0] < 0;
}
