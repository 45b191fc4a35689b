/*
 * isalpha() looks into a table that libc keeps for each thread; tasks may do that at the same time.
 * clean
 */
#include <ctype.h>

static _Thread_local int used;
static int letters;

static void count(const char *text)
{
	for (; *text; text++)
		if (isalpha((unsigned char)*text))
#pragma omp atomic
			letters++;
}

int main(void)
{
	used = 1;
#pragma omp parallel num_threads(2)
#pragma omp single
	for (int i = 0; i < 4; i++)
#pragma omp task
		count("a1b");
	return used != 1 || letters != 8;
}
