/*
 * Blocks of a buffer are moved within themselves; one byte too many is the neighbour's.
 * clean
 */
#include <string.h>

static char buf[128];

int main(void)
{
	for (int i = 0; i < 128; i++)
		buf[i] = (char)i;
#pragma omp parallel for
	for (int b = 0; b < 4; b++)
		memmove(buf + b * 32, buf + b * 32 + 4, 32 - 4);
	return buf[64] == 127;
}
