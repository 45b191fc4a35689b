/*
 * Accounts that share a lock by a pointer, and such that have a copy of the lock each.
 * race: 16 16
 */
#include <omp.h>

static double total;

struct account {
	omp_lock_t lock;
};

static void put(struct account *a, double sum)
{
	omp_set_lock(&a->lock);
	total += sum;
	omp_unset_lock(&a->lock);
}

int main(void)
{
	struct account accounts[4];

	for (int i = 0; i < 4; i++)
		omp_init_lock(&accounts[i].lock);
#pragma omp parallel for
	for (int i = 0; i < 20; i++)
		put(&accounts[i % 4], i);
	return total < 0;
}
