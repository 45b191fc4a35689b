/*
 * A flag that is set with release and read with acquire hands over data.
 * race: 15 24
 */
#include <omp.h>
#include <stdlib.h>

int main(void)
{
	int flag = 0, data = 0, seen = 0;

#pragma omp parallel num_threads(2)
	{
		if (omp_get_thread_num()) {
			data = 9;
#pragma omp atomic write
			flag = 1;
		} else {
			int f;

#pragma omp atomic read
			f = flag;
			if (f >= 0)
				seen = data;
		}
	}
	return seen > 9;
}
