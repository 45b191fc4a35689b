/*
 * Halves of a table are written in one phase and read crosswise in the next.
 *
 * EXPECT: none
 */
#include <pthread.h>
#include <stdint.h>

static int cell[2], sum[2];
static pthread_barrier_t line;

static void *half(void *arg)
{
	uintptr_t me = (uintptr_t)arg;

	for (int round = 0; round < 3; round++) {
		cell[me] = (int)me + round;
		pthread_barrier_wait(&line);
		sum[me] += cell[!me];
		pthread_barrier_wait(&line);
	}
	return NULL;
}

int main(void)
{
	pthread_t t[2];

	pthread_barrier_init(&line, NULL, 2);
	for (uintptr_t i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, half, (void *)i);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	return 0;
}
