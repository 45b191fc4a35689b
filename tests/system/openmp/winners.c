/* Who gets a single block, a section or a chunk: every thread, in every construct. */
#include <omp.h>
#include <stdio.h>

static int who[2];

static void blocks(void)
{
#pragma omp parallel num_threads(3)
	{
#pragma omp single nowait
		who[0] = omp_get_thread_num();
#pragma omp single
		who[1] = omp_get_thread_num();
	}
}

static void copied(void)
{
#pragma omp parallel num_threads(3)
	{
		int mine;

#pragma omp single copyprivate(mine)
		mine = omp_get_thread_num();
#pragma omp master
		who[0] = mine;
	}
}

static void mixed(void)
{
#pragma omp parallel num_threads(2)
	{
#pragma omp single nowait
		who[0] = omp_get_thread_num();
#pragma omp for schedule(dynamic) nowait
		for (int i = 0; i < 1; i++)
			who[1] = omp_get_thread_num();
	}
}

int main(int argc, char **argv)
{
	if (argv[1][0] == 'b')
		blocks();
	else if (argv[1][0] == 'c')
		copied();
	else
		mixed();
	printf("%d %d\n", who[0], who[1]);
	return 0;
}
