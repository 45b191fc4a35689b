/*
 * A block is freed while the other thread still writes it. GOOD: after the other is done.
 *
 * EXPECT: race heap
 */
#include "../pair.h"

#include <stdlib.h>

static int *volatile block;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void make(void)
{
	block = malloc(64);
}

static void a(void)
{
	pthread_once(&once, make);
	*block = 1;
	sem_post(&to_b);
}

static void b(void)
{
	int *mine;

	pthread_once(&once, make);
	mine = block;
#ifdef GOOD
	sem_wait(&to_b);
#endif
	free(mine);
}
