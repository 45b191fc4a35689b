/*
 * A flag that is set with release and read with acquire hands over data.
 * clean
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
#pragma omp atomic write release
			flag = 1;
		} else {
			int f;

#pragma omp atomic read acquire
			f = flag;
			if (f)
				seen = data;
		}
	}
	return seen > 9;
}
