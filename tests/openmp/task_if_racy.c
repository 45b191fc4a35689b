/*
 * An undeferred task is done before its parent goes on.
 * race: 16 17
 */
#include <omp.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	int x = 0, y;

#pragma omp parallel num_threads(2)
#pragma omp single
	{
#pragma omp task shared(x) if (argc > 0)
		x = 1;
		y = x;
	}
	return y > 1;
}
