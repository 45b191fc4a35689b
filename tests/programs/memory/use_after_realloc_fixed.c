/*
 * Blocks grow and shrink, a little and a lot: what is in them goes with them.
 *
 * RUN: run --seed 1..3
 * EXPECT: clean
 */
#include "../program.h"

int main(void)
{
	static const size_t sizes[] = { 1, 16, 17, 100, 4096, 200000, 3000000, 150000, 64, 1 };
	unsigned char *p = NULL;
	volatile size_t too_many = SIZE_MAX / 2;
	size_t had = 0;

	for (unsigned i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		p = realloc(p, sizes[i]);
		for (size_t k = 0; k < had && k < sizes[i]; k += 1 + k / 10)
			assert(p[k] == (unsigned char)k);
		for (size_t k = 0; k < sizes[i]; k++)
			p[k] = (unsigned char)k;
		had = sizes[i];
	}
	p = reallocarray(p, 10, 100);
	p[999] = 1;
	assert(reallocarray(p, too_many, 100) == NULL && errno == ENOMEM);
	free(p);
	return 0;
}
