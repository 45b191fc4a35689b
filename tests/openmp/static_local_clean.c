/*
 * A static variable of a function that threads call.
 * clean
 */
#include <omp.h>
#include <stdlib.h>

static int next_id(void)
{
	static int id;
	int mine;

#pragma omp atomic capture
	mine = id++;
	return mine;
}

int main(void)
{
	int ids[3];

#pragma omp parallel num_threads(3)
	ids[omp_get_thread_num()] = next_id();
	return ids[0] > 3;
}
