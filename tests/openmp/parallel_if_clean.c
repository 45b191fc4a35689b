/*
 * With if(0) there is one thread, and nothing to race with.
 * clean
 */
#include <omp.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	int x = 0;

#pragma omp parallel num_threads(3) if (argc > 5)
	x += 1;
	return x < 0;
}
