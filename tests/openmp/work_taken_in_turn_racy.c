/*
 * Threads take items from a counter under a lock; what they do with one needs none, but for
 * what all share.
 * race: 22 22
 */
#include <omp.h>

static int next, done[30], count;

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
		count++;
	}
	return done[29] != 29 || count < 0;
}
