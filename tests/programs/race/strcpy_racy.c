/*
 * A string is copied while another thread reads where its end will be.
 *
 * RUN: run --seed 1..5
 * EXPECT: race 'name[ @set_name @main
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
	int seen = name[6];

	finish(t);
	return seen;
}
