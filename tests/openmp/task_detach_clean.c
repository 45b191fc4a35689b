/*
 * A task ends when its event is fulfilled.
 * clean
 */
#include <omp.h>
#include <stdlib.h>

int main(void)
{
	int x = 0, y;

#pragma omp parallel num_threads(2)
#pragma omp single
	{
		omp_event_handle_t done;

#pragma omp task detach(done) depend(out : x)
		;
#pragma omp task shared(x) firstprivate(done)
		{
			x = 1;
			omp_fulfill_event(done);
		}
#pragma omp task shared(x, y) depend(in : x)
		y = x;
#pragma omp taskwait
	}
	return y - 1;
}
