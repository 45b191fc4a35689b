/*
 * Every byte of blocks of all small sizes and alignments is read and written, and none beside them.
 *
 * RUN: run --seed 1..3
 * EXPECT: clean
 * RUN: run --races no
 * EXPECT: clean
 */
#include "../program.h"

static void *use(void *arg)
{
	for (size_t size = 0; size < 200; size++) {
		unsigned char *block = malloc(size), *aligned = aligned_alloc(64, size);

		for (size_t i = 0; i < size; i++)
			block[i] = aligned[i] = (unsigned char)i;
		for (size_t i = 0; i + 8 <= size; i++) {
			uint64_t *word = (uint64_t *)(block + i);

			*word += 1;
		}
		memset(block, 1, size);
		memcpy(aligned, block, size);
		assert(!memcmp(aligned, block, size));
		free(block);
		free(aligned);
	}
	return NULL;
}

int main(void)
{
	pthread_t t = start(use, NULL);

	use(NULL);
	finish(t);
	return 0;
}
