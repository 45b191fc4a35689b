/*
 * One lock for each element; the racy one takes the neighbour's.
 * clean
 */
#include <omp.h>

int main(void)
{
	omp_lock_t locks[4];
	int v[4] = { 0 };

	for (int i = 0; i < 4; i++)
		omp_init_lock(&locks[i]);
#pragma omp parallel for num_threads(4) schedule(static, 1)
	for (int i = 0; i < 16; i++) {
		int k = i % 4;

		omp_set_lock(&locks[k]);
		v[i % 4] += i;
		omp_unset_lock(&locks[k]);
	}
	for (int i = 0; i < 4; i++)
		omp_destroy_lock(&locks[i]);
	return v[0] < 0;
}
