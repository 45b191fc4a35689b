/*
 * Parts of an array are sorted by tasks once it is divided; all of them count, or none.
 * race: 15 15
 */
#include <omp.h>

static int swaps;

static void swap(int *a, int *b)
{
	int t = *a;

	*a = *b;
	*b = t;
	swaps++;
}

static void sort(int *a, int low, int high)
{
	int at = low;

	if (low >= high)
		return;
	for (int i = low; i < high; i++) {
		if (a[i] < a[high])
			swap(&a[at++], &a[i]);
	}
	swap(&a[at], &a[high]);
#pragma omp task
	sort(a, low, at - 1);
#pragma omp task
	sort(a, at + 1, high);
}

int main(void)
{
	int a[30];

	for (int i = 0; i < 30; i++)
		a[i] = i * 17 % 31;
#pragma omp parallel
#pragma omp single
	sort(a, 0, 29);
	return swaps < 0;
}
