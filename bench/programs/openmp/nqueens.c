/* Queens on a board that do not threaten each other, a task for each placed queen: nqueens [N]. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int found;

static int fits(const char *at, int row)
{
	for (int i = 0; i < row; i++)
		if (at[i] == at[row] || abs(at[i] - at[row]) == row - i)
			return 0;
	return 1;
}

static void place(int n, int row, const char *before)
{
	if (row == n) {
#pragma omp atomic
		found++;
		return;
	}
	for (int i = 0; i < n; i++) {
#pragma omp task
		{
			char at[16];

			memcpy(at, before, (size_t)row);
			at[row] = (char)i;
			if (fits(at, row))
				place(n, row + 1, at);
		}
	}
#pragma omp taskwait
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 5;
	char none[16] = { 0 };

#pragma omp parallel
#pragma omp single
	place(n, 0, none);
	printf("%d\n", found);
	return 0;
}
