/*
 * A string is copied; what lies behind its end belongs to another thread.
 *
 * RUN: run --seed 1..20
 * EXPECT: clean
 * RUN: run --policy pct --pct-length 100 --seed 1..20
 * EXPECT: clean
 * RUN: run --switch-at accesses --seed 1..20
 * EXPECT: clean
 */
#include "../program.h"

static char name[16];

static void *set_name(void *text)
{
	strcpy(name, text);
	return NULL;
}

int main(void)
{
	char text[] = "heddle";
	pthread_t t = start(set_name, text);

	name[7] = 'x';
	finish(t);
	assert(strcmp(name, "heddle") == 0 && name[7] == 'x');
	return 0;
}
