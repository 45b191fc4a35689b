/*
 * Members of one struct are different places.
 * race: 18 20
 */
#include <omp.h>

struct pair {
	short first, second;
};

int main(void)
{
	struct pair p = { 0, 0 };

#pragma omp parallel num_threads(2)
	{
		if (omp_get_thread_num() == 0)
			p.first = 1;
		else
			p.first = 2;
	}
	return p.first + p.second < 0;
}
