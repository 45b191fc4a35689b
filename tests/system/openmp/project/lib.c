#include "lib.h"
int total;
void add(int v)
{
#pragma omp critical(total)
	total += v;
}
int sum(const int *a, int n)
{
	int s = 0;
#pragma omp parallel for reduction(+ : s)
	for (int i = 0; i < n; i++)
		s += a[i];
	return s;
}
