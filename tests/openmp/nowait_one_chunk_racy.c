/*
 * One chunk each: the second loop's may fall to the thread that had the first one's, or not.
 * race: 15 18
 */
#include <omp.h>

int main(void)
{
	int made = 0, used = 0;

#pragma omp parallel num_threads(2)
	{
#pragma omp for nowait schedule(dynamic)
		for (int i = 0; i < 1; i++)
			made = i + 1;
#pragma omp for schedule(guided)
		for (int i = 0; i < 1; i++)
			used = made;
	}
	return used > 1;
}
