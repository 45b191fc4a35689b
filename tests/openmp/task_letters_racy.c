/*
 * isalpha() looks into a table that libc keeps for each thread, which says nothing about the thread.
 * race: 14 14
 */
#include <ctype.h>

static _Thread_local int used;
static int letters;

static void count(const char *text)
{
	for (; *text; text++)
		if (isalpha((unsigned char)*text))
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
	return used != 1 || letters > 8;
}
