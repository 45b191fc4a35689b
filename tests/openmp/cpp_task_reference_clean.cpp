/*
 * A task has a copy of what its maker's parameter refers to, or refers to it as well.
 * clean
 */
static int a[20];

static void make(int &i)
{
#pragma omp task firstprivate(i)
	a[i % 20] = 1;
}

int main()
{
#pragma omp parallel
#pragma omp single
	{
		int i = 0;

		while (i < 20) {
			make(i);
			i++;
		}
#pragma omp taskwait
	}
	return a[19] != 1;
}
