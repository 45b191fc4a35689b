/*
 * A threadprivate pointer to what is shared.
 * race: 17 17
 */
#include <omp.h>

static int common, *mine;
#pragma omp threadprivate(mine)

int main(void)
{
#pragma omp parallel num_threads(3)
	{
		int own = 0;

		mine = &common;
		*mine = *mine + 1;
	}
	return common < 0;
}
