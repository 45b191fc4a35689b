/*
 * With if(0) a loop is never shared out; with a condition, another input would share it out.
 * clean
 */
#include <omp.h>

int main(void)
{
	int a[40] = { 0 };

#pragma omp parallel for if (0) num_threads(4)
	for (int i = 1; i < 40; i++)
		a[i] = a[i - 1] + 1;
	return a[39] != 39;
}
