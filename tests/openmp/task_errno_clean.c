/*
 * errno is the thread's own, tasks may set it at the same time.
 * clean
 */
#include <errno.h>
#include <stdlib.h>

static int numbers;

static void count(const char *text)
{
	errno = 0;
	strtol(text, NULL, 10);
	if (!errno)
#pragma omp atomic
		numbers++;
}

int main(void)
{
#pragma omp parallel num_threads(2)
#pragma omp single
	for (int i = 0; i < 4; i++)
#pragma omp task
		count("12");
	return numbers != 4;
}
