/*
 * With if(0) a loop is never shared out; with a condition, another input would share it out.
 * race: 14 14
 */
#include <omp.h>

int main(int argc, char **argv)
{
	int a[40] = { 0 };

	(void)argv;
#pragma omp parallel for if (argc > 1)
	for (int i = 1; i < 40; i++)
		a[i] = a[i - 1] + 1;
	return a[39] < 0;
}
