/*
 * Slots by the thread's number are its own, unless numbers share one.
 * race: 16 16
 */
#include <omp.h>

int main(void)
{
	int slots[2] = { 0 };

#pragma omp parallel num_threads(4)
	{
		int mine = omp_get_thread_num() % 2;

		for (int i = 0; i < 10; i++)
			slots[mine] += i;
	}
	return slots[0] < 0;
}
