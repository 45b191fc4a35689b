/*
 * A task depends on members of a structure: on all that it reads, or on one of them.
 * clean
 */
#include <omp.h>

struct pair {
	int a, b;
};

int main(void)
{
	struct pair p = { 0, 0 };
	int sum = 0;

#pragma omp parallel
#pragma omp single
	{
#pragma omp task depend(out : p.a) shared(p)
		p.a = 1;
#pragma omp task depend(out : p.b) shared(p)
		p.b = 2;
#pragma omp task depend(in : p.a, p.b) shared(p, sum)
		sum = p.a + p.b;
	}
	return sum != 3;
}
