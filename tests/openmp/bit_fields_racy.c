/*
 * Bit-fields of one word are one place.
 * race: 19 21
 */
#include <omp.h>

struct bits {
	unsigned a : 4;
	unsigned b : 4;
};

int main(void)
{
	struct bits x = { 0, 0 };

#pragma omp parallel num_threads(2)
	{
		if (omp_get_thread_num() == 0)
			x.a = 1;
		else
			x.b = 2;
	}
	return x.a + x.b > 3;
}
