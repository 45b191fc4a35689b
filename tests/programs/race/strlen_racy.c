/*
 * The length of a string is taken while another thread writes its end.
 *
 * RUN: run --seed 1..5
 * EXPECT: race 'name[ @measure @main
 */
#include "../program.h"

static char name[16] = "heddle";

static void *measure(void *text)
{
	return (void *)(intptr_t)strlen(text);
}

int main(void)
{
	pthread_t t = start(measure, name);

	name[6] = 's';
	finish(t);
	return 0;
}
