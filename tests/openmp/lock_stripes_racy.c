/*
 * Each lock of an array guards the items that are chosen by it, or by another number.
 * race: 17 17
 */
#include <omp.h>

int main(void)
{
	omp_lock_t locks[4];
	int items[16] = { 0 };

	for (int i = 0; i < 4; i++)
		omp_init_lock(&locks[i]);
#pragma omp parallel for
	for (int i = 0; i < 96; i++) {
		omp_set_lock(&locks[i % 4]);
		items[i % 3]++;
		omp_unset_lock(&locks[i % 4]);
	}
	return items[0] < 0;
}
