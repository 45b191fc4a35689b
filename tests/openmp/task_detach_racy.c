/*
 * A task ends when its event is fulfilled.
 * race: 22 25
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

#pragma omp task detach(done)
		;
#pragma omp task shared(x) firstprivate(done)
		{
			omp_fulfill_event(done);
			x = 1;
		}
#pragma omp taskwait depend(in : y)
		y = x;
	}
	return y > 1;
}
