/*
 * A slot that an atomic capture gives out is of one thread only.
 * clean
 */
#include <omp.h>

int main(void)
{
	int slots[64] = { 0 }, next = 0;

#pragma omp parallel for num_threads(4)
	for (int i = 0; i < 64; i++) {
		int mine;

#pragma omp atomic capture
		mine = next++;
		slots[mine & 63] = i;
	}
	return slots[0] < 0;
}
