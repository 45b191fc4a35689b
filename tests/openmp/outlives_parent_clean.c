/*
 * A child that its parent does not wait for: a dependence on the parent is none on the child.
 * clean
 */
int main(void)
{
	int x = 0, y = 0;

#pragma omp parallel
#pragma omp single
	{
#pragma omp task depend(out : x) shared(x)
		{
#pragma omp task shared(x)
			x = 42;
#pragma omp taskwait
		}
#pragma omp task depend(in : x) shared(x, y)
		y = x;
	}
	return y < 0;
}
