/*
 * Two threads, each reading from a pipe that only the other would write to: nobody outside
 * can help, so this is a deadlock, not a wait for input.
 *
 * RUN: run --seed 1..5
 * EXPECT: deadlock
 */
#include <pthread.h>
#include <unistd.h>

static int a[2], b[2];

static void *first(void *arg)
{
	char c;

	if (read(a[0], &c, 1) == 1)
		write(b[1], &c, 1);
	return NULL;
}

int main(void)
{
	pthread_t t;
	char c;

	if (pipe(a) || pipe(b))
		return 1;
	pthread_create(&t, NULL, first, NULL);
	if (read(b[0], &c, 1) == 1)
		write(a[1], &c, 1);
	pthread_join(t, NULL);
	return 0;
}
