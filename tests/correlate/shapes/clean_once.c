/*
 * Tables are made by pthread_once(), and read without a lock afterwards.
 *
 * EXPECT: none
 */
#include <pthread.h>
#include <stdio.h>

static int squares[8], cubes[8];
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void make(void)
{
	for (int i = 0; i < 8; i++) {
		squares[i] = i * i;
		cubes[i] = i * squares[i];
	}
}

static void *use(void *arg)
{
	int sum = 0;

	pthread_once(&once, make);
	for (int i = 0; i < 8; i++)
		sum += squares[i] + cubes[i];
	printf("%d\n", sum);
	return arg;
}

int main(void)
{
	pthread_t t[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, use, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	return 0;
}
