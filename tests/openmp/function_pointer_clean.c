/*
 * What is called through a pointer is in the region, too.
 * clean
 */
#include <omp.h>

static int total;

static void add(int *to, int n)
{
#pragma omp atomic
	*to += n;
}

int main(void)
{
	void (*fn)(int *, int) = add;

#pragma omp parallel for num_threads(4)
	for (int i = 0; i < 16; i++)
		fn(&total, i);
	return total < 0;
}
