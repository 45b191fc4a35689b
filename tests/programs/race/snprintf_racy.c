/*
 * A text is printed into a buffer while another thread reads it.
 *
 * RUN: run --seed 1..5
 * EXPECT: race 'text[ @describe @main
 */
#include "../program.h"

char text[32]; /* not static: the compiler must not know all its values */

static void *describe(void *arg)
{
	snprintf(text, sizeof(text), "%d items", *(int *)arg);
	return NULL;
}

int main(void)
{
	int items = 12;
	pthread_t t = start(describe, &items);
	int seen = text[1];

	finish(t);
	return seen < 0;
}
