/*
 * Whoever finds it tells the others by cancel; the place found is a shared variable.
 * race: 17 17
 */
#include <omp.h>

static int v[64];

int main(void)
{
	int at = -1;

	v[7] = v[40] = 1;
#pragma omp parallel for num_threads(4)
	for (int i = 0; i < 64; i++) {
		if (v[i]) {
			at = i;
#pragma omp cancel for
		}
	}
	return at < 0;
}
