/*
 * A threadprivate pointer to what is shared.
 * clean
 */
#include <omp.h>

static int common, *mine;
#pragma omp threadprivate(mine)

int main(void)
{
#pragma omp parallel num_threads(3)
	{
		int own = 0;

		mine = &own;
		*mine = *mine + 1;
	}
	return common < 0;
}
