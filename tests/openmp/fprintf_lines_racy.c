/*
 * Streams have a lock of their own; a count of lines beside them does not.
 * race: 17 17
 */
#include <omp.h>
#include <stdio.h>

static int lines;

int main(void)
{
	FILE *out = tmpfile();

#pragma omp parallel for
	for (int i = 0; i < 20; i++) {
		fprintf(out, "%d\n", i);
		lines++;
	}
	fclose(out);
	return lines < 0;
}
