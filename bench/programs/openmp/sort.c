/* Sorting by merging, a task for each half: sort [N]. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int data[1 << 16], other[1 << 16];

static void sort(int low, int high)
{
	int mid = low + (high - low) / 2, i = low, j = mid;

	if (high - low < 2)
		return;
#pragma omp task if (high - low > 8)
	sort(low, mid);
#pragma omp task if (high - low > 8)
	sort(mid, high);
#pragma omp taskwait
	for (int k = low; k < high; k++)
		other[k] = j == high || (i < mid && data[i] <= data[j]) ? data[i++] : data[j++];
	memcpy(data + low, other + low, (size_t)(high - low) * sizeof(int));
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 200;
	unsigned long sum = 0;

	for (int i = 0; i < n; i++)
		data[i] = (int)((unsigned)i * 2654435761u >> 8);
#pragma omp parallel
#pragma omp single
	sort(0, n);
	for (int i = 0; i < n; i++)
		sum = sum * 31 + (unsigned)data[i];
	printf("%lu\n", sum);
	return 0;
}
