/*
 * A test that says by its exit status whether it passed: two threads sell tickets, and one ticket may be sold
 * twice. There is a lock around every access; what is missing is that looking and selling are one step.
 *
 *   heddle cc exit.c -o exit
 *   heddle explore -- ./exit
 */
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int tickets = 1, sold;

static void *sell(void *unused)
{
	int left;

	(void)unused;
	pthread_mutex_lock(&lock);
	left = tickets;
#ifndef FIXED
	pthread_mutex_unlock(&lock);
	pthread_mutex_lock(&lock);
#endif
	if (left) {
		tickets--;
		sold++;
	}
	pthread_mutex_unlock(&lock);
	return NULL;
}

int main(void)
{
	pthread_t t[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, sell, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	if (sold != 1) {
		printf("FAILED: %d sold\n", sold);
		return 1;
	}
	return 0;
}
