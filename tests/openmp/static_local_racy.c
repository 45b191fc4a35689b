/*
 * A static variable of a function that threads call.
 * race: 12 12
 */
#include <omp.h>
#include <stdlib.h>

static int next_id(void)
{
	static int id;

	return id++;
}

int main(void)
{
	int ids[3];

#pragma omp parallel num_threads(3)
	ids[omp_get_thread_num()] = next_id();
	return ids[0] > 3;
}
