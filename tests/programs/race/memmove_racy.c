/*
 * A list is moved down while another thread looks at it.
 *
 * RUN: run --seed 1..5
 * EXPECT: race 'list[ @remove_first @look
 */
#include "../program.h"

static int list[100];

static void *remove_first(void *count)
{
	memmove(list, list + 1, *(size_t *)count * sizeof(*list));
	return NULL;
}

static void *look(void *arg)
{
	return (void *)(intptr_t)list[50];
}

int main(void)
{
	size_t count = 99;
	pthread_t a = start(remove_first, &count), b = start(look, NULL);

	finish(a);
	finish(b);
	return 0;
}
