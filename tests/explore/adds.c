/*
 * Two threads that add to an atomic variable, as often as the argument says, and look at what was there.
 *
 * FLAGS: -O1
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_int sum;

static void *add(void *arg)
{
	long found = 0;

	for (int i = 0; i < *(int *)arg; i++)
		found += atomic_fetch_add(&sum, 1);
	return (void *)found;
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 1;
	pthread_t t, u;

	pthread_create(&t, NULL, add, &n);
	pthread_create(&u, NULL, add, &n);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	return sum != 2 * n;
}
