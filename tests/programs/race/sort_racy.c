/*
 * One thread sorts what the other looks at: the sort is libc's, the memory the program's.
 *
 * RUN: run --seed 1..5
 * EXPECT: race @sorter @main
 */
#include "../program.h"

#include <stdlib.h>

static int numbers[8] = { 5, 3, 8, 1 };

static int by_size(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

static void *sorter(void *arg)
{
	qsort(numbers, 8, sizeof(numbers[0]), by_size);
	return NULL;
}

int main(void)
{
	pthread_t t = start(sorter, NULL);

	numbers[7]++;
	finish(t);
	return 0;
}
