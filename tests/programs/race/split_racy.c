/*
 * strtok_r puts ends of words into the text that another thread reads.
 *
 * RUN: run --seed 1..5
 * EXPECT: race @splitter @main
 */
#include "../program.h"

#include <string.h>

static char text[] = "one two";

static void *splitter(void *arg)
{
	char *rest;

	strtok_r(text, " ", &rest);
	return NULL;
}

int main(void)
{
	pthread_t t = start(splitter, NULL);
	char c = text[3];

	finish(t);
	return c == 'x';
}
