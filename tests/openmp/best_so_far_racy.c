/*
 * Branch and bound: the best value is looked at before the critical section that improves it.
 * race: 11 18
 */
static int best = 1000;

static void place(int depth, int area)
{
	int seen;

	seen = best;
	if (area >= seen)
		return;
	if (!depth) {
#pragma omp critical
		if (area < best) {
#pragma omp atomic write
			best = area;
		}
		return;
	}
	for (int i = 1; i < 4; i++) {
#pragma omp task
		place(depth - 1, area + i * depth);
	}
#pragma omp taskwait
}

int main(void)
{
#pragma omp parallel
#pragma omp single
	place(3, 0);
	return best < 0;
}
