/*
 * A region that is not parallel has no race; one that may be has.
 * clean
 */
#include <omp.h>

int main(int argc, char **argv)
{
	int x = 0;

	(void)argv;
#pragma omp parallel num_threads(4) if (argc > 100)
	x++;
	return x < 0;
}
