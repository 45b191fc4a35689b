/*
 * Every thread splits its own text, and reads the numbers of one that nobody writes to.
 *
 * RUN: run --seed 1..20
 * EXPECT: clean
 * RUN: run --switch-at accesses --seed 1..10
 * EXPECT: clean
 */
#include "../program.h"

#include <stdlib.h>
#include <string.h>

static const char numbers[] = "12 0x10 7.5";

static void *splitter(void *arg)
{
	char text[] = "one two", *rest = NULL, *end;

	assert(!strcmp(strtok_r(text, " ", &rest), "one") && !strcmp(rest, "two"));
	assert(!strcmp(strtok_r(NULL, " ", &rest), "two") && !strtok_r(NULL, " ", &rest));
	assert(strtol(numbers, &end, 10) == 12 && strtoul(end, &end, 16) == 16);
	assert(strtod(end, NULL) == 7.5 && atoi(numbers) == 12);
	return NULL;
}

int main(void)
{
	pthread_t a = start(splitter, NULL), b = start(splitter, NULL);

	finish(a);
	finish(b);
	return 0;
}
