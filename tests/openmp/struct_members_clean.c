/*
 * Members of one struct are different places.
 * clean
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
			p.second = 2;
	}
	return p.first + p.second < 0;
}
