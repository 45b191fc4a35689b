/*
 * Streams have a lock of their own; a count of lines beside them does not.
 * clean
 */
#include <omp.h>
#include <stdio.h>

int main(void)
{
	FILE *out = tmpfile();
	int lines = 0;

#pragma omp parallel for reduction(+ : lines)
	for (int i = 0; i < 20; i++) {
		fprintf(out, "%d\n", i);
		lines++;
	}
	fclose(out);
	return lines != 20;
}
