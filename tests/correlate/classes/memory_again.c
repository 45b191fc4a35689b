/*
 * A block that both get from malloc, one after the other, is not the same.
 *
 * EXPECT: none
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>



static void *run(void *arg)
{
	int *p = malloc(64);

	p[0] = 1;
	free(p);
	return arg;
}

int main(void)
{
	pthread_t t;

	pthread_create(&t, NULL, run, NULL);
	int *p = malloc(64);

	p[0] = 2;
	free(p);
	pthread_join(t, NULL);
	return 0;
}
