/*
 * A task ends with its event, which is fulfilled behind the write or before it.
 * race: 18 20
 */
#include <omp.h>

int main(void)
{
	int data = 0, seen = 0, token = 0;
	omp_event_handle_t event;

#pragma omp parallel num_threads(3)
#pragma omp single
	{
#pragma omp task detach(event) depend(out : token)
		seen = 0;
#pragma omp task depend(in : token) shared(data, seen)
		seen = data;
		omp_fulfill_event(event);
		data = 2;
	}
	return seen > 2;
}
