/*
 * Tasks keep data by thread, but half of the threads share a counter.
 * race: 21 21
 */
static int counts[64], threads;
static _Thread_local int *mine;

int main(void)
{
#pragma omp parallel num_threads(4)
	{
		int n;

#pragma omp atomic capture
		n = threads++;
		mine = &counts[n / 2];
#pragma omp barrier
#pragma omp single
		for (int i = 0; i < 24; i++) {
#pragma omp task
			++*mine;
		}
	}
	return 0;
}
