/*
 * Each lock of an array guards the items that are chosen by it, or by another number.
 * clean
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
		int item = i * 7 % 16;

		omp_set_lock(&locks[item % 4]);
		items[item]++;
		omp_unset_lock(&locks[item % 4]);
	}
	return items[0] != 6;
}
