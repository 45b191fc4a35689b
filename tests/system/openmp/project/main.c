/* Built in several ways; with an argument there is a race. */
#include <assert.h>

#include "lib.h"

int racy, a[64];

int main(int argc, char **argv)
{
	for (int i = 0; i < 64; i++)
		a[i] = i;
#pragma omp parallel for schedule(dynamic)
	for (int i = 0; i < 8; i++) {
		add(i);
		if (argc > 1)
			racy = i;
	}
	assert(total == 28 && sum(a, 64) == 2016);
	return 0;
}
