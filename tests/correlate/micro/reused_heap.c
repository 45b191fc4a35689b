/*
 * Memory that one thread frees and another gets again is no race, nor is the heap's own
 * business.
 *
 * EXPECT: none
 */
#include "../pair.h"

#include <stdlib.h>

static void a(void)
{
	for (int i = 0; i < 50; i++) {
		int *p = malloc(40);

		*p = i;
		free(p);
	}
}

static void b(void)
{
	for (int i = 0; i < 50; i++) {
		int *p = malloc(40);

		*p = i;
		free(p);
	}
}
