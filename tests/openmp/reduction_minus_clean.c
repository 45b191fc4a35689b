/*
 * A difference needs a reduction, too.
 * clean
 */
#include <omp.h>

int main(void)
{
	int x = 100;

#pragma omp parallel for num_threads(4) reduction(- : x)
	for (int i = 0; i < 10; i++)
		x -= i;
	return x < 0;
}
