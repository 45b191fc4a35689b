/*
 * Two pointers into one array, with and without a common part.
 * clean
 */
#include <omp.h>

static int all[96];

static void add(int *to, const int *from, int n)
{
#pragma omp parallel for num_threads(4) schedule(static, 2)
	for (int i = 0; i < n; i++)
		to[i] = from[i] + 1;
}

int main(void)
{
	add(all + 48, all, 48);
	return all[95] < 0;
}
