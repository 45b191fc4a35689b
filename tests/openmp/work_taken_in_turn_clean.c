/*
 * Threads take items from a counter under a lock; what they do with one needs none, but for
 * what all share.
 * clean
 */
#include <omp.h>

static int next, done[30];

int main(void)
{
#pragma omp parallel num_threads(3)
	for (;;) {
		int mine = -1;

#pragma omp critical(items)
		if (next < 30)
			mine = next++;
		if (mine < 0)
			break;
		done[mine] = mine;
	}
	return done[29] != 29;
}
